{% macro cdc_new_name(cdc, name) %}
    {% set renamed = cdc.get('renamed_columns', {}) %}
    {% do return(adapter.call_function('python_udfs.metadata.names.new_name', {'renamed': renamed, 'name': name})) %}
{% endmacro %}
