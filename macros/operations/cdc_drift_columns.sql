{# The columns of files beside those of their table, by the macros that decide in a run. #}
{% macro cdc_drift_columns(cdc, raw, columns) %}
    {% set names = columns | map(attribute='name') | map('lower') | list %}
    {% set types, renamed, found = {}, {}, [] %}
    {% for column in columns if not column.name.startswith('_cdc_') %}
        {% set name = cdc_new_name(cdc, column.name) %}
        {% if name | lower not in names %}
            {% do renamed.update({column.name: name}) %}
        {% endif %}
        {% do types.update({renamed.get(column.name, column.name) | lower: column.dtype | lower}) %}
    {% endfor %}
    {% for column in cdc_source_columns(cdc, raw) %}
        {% set old = types.get(column.name | lower) %}
        {% do found.append({
            'name': column.name,
            'type': column.type,
            'table_type': old,
            'is_listed': column.is_listed,
            'fits': old is not none and (column.type == old or adapter.is_type_promotion(column.type, old)),
            'widens': old is not none and adapter.is_type_promotion(old, column.type),
        }) %}
    {% endfor %}
    {% do return({'has_columns': types != {}, 'renamed': renamed, 'columns': found}) %}
{% endmacro %}
