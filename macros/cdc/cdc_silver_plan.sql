{#
    Silver's source columns: those of bronze. While nothing has arrived bronze has none of them; key and partition
    columns are then stood in for, and the empty table is made anew when the first rows come, with the types that
    they bring.
#}
{% macro cdc_silver_plan(cdc, bronze, existing) %}
    {% set source = [] %}
    {% for column in adapter.get_columns_in_relation(bronze) if not column.name.startswith('_cdc_') %}
        {% do source.append({'name': column.name, 'raw_type': column.dtype, 'type': column.dtype}) %}
    {% endfor %}
    {% do validate_cdc_key(cdc, bronze, source | map(attribute='name') | list) %}
    {% if not source %}
        {% do return(cdc_stand_in_columns(cdc.primary_key, config.get('partition_by', []))) %}
    {% endif %}
    {% if existing is none %}
        {% do return(cdc_column_plan(source, [])) %}
    {% endif %}
    {% set plan = cdc_column_plan(source, adapter.get_columns_in_relation(existing)) %}
    {% do cdc_evolve_columns(existing, plan) %}
    {% do return(plan) %}
{% endmacro %}
