{# The question of change_types: Python decides (python_udfs/retype). #}
{% macro cdc_type_changes(cdc, bronze) %}
    {% set columns, listed = [], {} %}
    {% for column in adapter.get_columns_in_relation(bronze) if not column.name.startswith('_cdc_') %}
        {% do columns.append({'name': column.name, 'type': column.dtype | lower}) %}
    {% endfor %}
    {#- As of a format that takes its types from the seed: the cells of parquet may be empty. -#}
    {% for column in cdc_source_columns(cdc.as_text(), {'columns': []}) %}
        {% do listed.update({column.name | lower: column.type}) %}
    {% endfor %}
    {% set received = [] %}
    {% for row in (run_query(cdc_received_types_sql(cdc, bronze)) if cdc.format == 'parquet' else []) %}
        {% do received.append({'name': row['name'], 'type': row['type']}) %}
    {% endfor %}
    {% do return(adapter.call_function('python_udfs.retype.decide.decide_types', {
        'columns': columns, 'listed': listed, 'received': received
    })) %}
{% endmacro %}
