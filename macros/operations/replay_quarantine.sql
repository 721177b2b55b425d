{#
    Judges the quarantined rows of a table again and adds those that pass to bronze:
    dbt run-operation replay_quarantine --args '{table: salesdb__customer}'
#}
{% macro replay_quarantine(table) %}
    {% set node = cdc_silver_node(table) %}
    {% set bronze, operations = cdc_table_of('bronze', node.cdc), 'python_udfs.pipeline.operations.' %}
    {% set cdc = cdc_with_silver(cdc_node_of('bronze', node.cdc).cdc, bronze) if bronze is not none else {} %}
    {% set problems = adapter.call_function(operations ~ 'list_replay_problems', {
        'cdc': cdc, 'columns': cdc_replay_columns(cdc, bronze)
    }) if cdc else ['its bronze table does not exist yet'] %}
    {% do adapter.call_function(operations ~ 'require_replayable', {'table': node.alias, 'problems': problems}) %}
    {{ print(cdc_replay(node, cdc, bronze)) }}
{% endmacro %}
