{% macro cdc_new_name(cdc, name) %}
    {% for old, new in cdc.get('renamed_columns', {}).items() if old | lower == name | lower %}
        {% do return(new) %}
    {% endfor %}
    {% do return(name) %}
{% endmacro %}
