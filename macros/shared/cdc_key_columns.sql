{# The columns that tell silver's rows apart. A table without a key has the positions of its rows in the landing area. #}
{% macro cdc_key_columns(cdc) %}
    {% do return(['_cdc_source_file', '_cdc_file_row'] if cdc.mode == 'append' else cdc.primary_key) %}
{% endmacro %}
