{#
    The source's columns in one batch: name, raw_type (as the view has it) and type (as bronze shall have it).
    Parquet carries names and types. CSV takes them from cdc_columns.csv, and a header may add columns, as text.
    What DMS adds, the control columns and those with a before image, is not the source's.
#}
{% macro cdc_source_columns(cdc, raw) %}
    {% set columns = [] %}
    {% if cdc.format == 'csv' %}
        {% for column in cdc.columns if not cdc_is_before_image(cdc, column.name) %}
            {% do columns.append({'name': column.name, 'raw_type': 'string', 'type': cdc_table_type(column.type)}) %}
        {% endfor %}
    {% endif %}
    {% set known = cdc_control_columns(cdc) + columns | map(attribute='name') | map('lower') | list %}
    {% for column in raw.columns if column.name | lower not in known and not cdc_is_before_image(cdc, column.name) %}
        {% do columns.append({'name': column.name, 'raw_type': column.type, 'type': cdc_table_type(column.type)}) %}
    {% endfor %}
    {% do return(columns) %}
{% endmacro %}
