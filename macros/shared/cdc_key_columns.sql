{# The columns that identify a row of silver: the key, or the row's source position where a table has no key. #}
{% macro cdc_key_columns(cdc) %}
    {% do return(['_cdc_source_file', '_cdc_file_row'] if cdc.mode == 'append' else cdc.primary_key) %}
{% endmacro %}
