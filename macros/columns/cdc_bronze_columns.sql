{# The source columns of bronze, as silver has them: a column that bronze has under an old and a new name is one. #}
{% macro cdc_bronze_columns(cdc, columns) %}
    {% set is_renamed = cdc.get('renamed_columns') %}
    {% set names = columns | map(attribute='name') | map('lower') | list %}
    {% set source = [] %}
    {% for column in columns if not column.name.startswith('_cdc_') %}
        {% set new = cdc_new_name(cdc, column.name) | lower if is_renamed else column.name | lower %}
        {% if new == column.name | lower or new not in names %}
            {% do source.append({'name': column.name, 'raw_type': column.dtype, 'type': column.dtype}) %}
        {% endif %}
    {% endfor %}
    {% do return(source) %}
{% endmacro %}
