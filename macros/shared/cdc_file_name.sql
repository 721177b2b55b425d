{# The name that files have for a column of bronze: cdc_table_name the other way round. #}
{% macro cdc_file_name(name) %}
    {% set is_other = (name | lower).startswith('source_') and cdc_table_name(name[7:]) == name %}
    {% do return(name[7:] if is_other else name) %}
{% endmacro %}
