{% macro cdc_names_in_files(cdc, name) %}
    {% set arguments = {'renamed': cdc.renamed_columns, 'name': name} %}
    {% do return(adapter.call_function('python_udfs.metadata.names.names_in_files', arguments)) %}
{% endmacro %}
