{#
    Judges the quarantined rows of a table again and adds those that pass to bronze:
    dbt run-operation replay_quarantine --args '{table: salesdb__customer}'
#}
{% macro replay_quarantine(table) %}
    {% set node = cdc_silver_node(table) %}
    {% set bronze = cdc_table_of('bronze', node.cdc) %}
    {% set cdc = cdc_with_silver(cdc_config_of(bronze), bronze) if bronze is not none else {} %}
    {% do validate_replay_quarantine(node, cdc, cdc_replay_columns(cdc, bronze) if cdc else []) %}
    {{ print(cdc_replay(node, cdc, bronze)) }}
{% endmacro %}
