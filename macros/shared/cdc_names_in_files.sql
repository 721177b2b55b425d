{% macro cdc_names_in_files(cdc, name) %}
    {% set names = [name | lower] %}
    {% for old, new in cdc.get('renamed_columns', {}).items() if new | lower == name | lower %}
        {% do names.append(old | lower) %}
    {% endfor %}
    {% do return(names) %}
{% endmacro %}
