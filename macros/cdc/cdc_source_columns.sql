{#
    The source's columns in one batch: name, raw_type (as the view has it) and type (as bronze shall have it).
    Parquet carries names and types. CSV takes them from cdc_columns.csv, and a header may add columns, as text.
#}
{% macro cdc_source_columns(cdc, raw) %}
    {% set columns = [] %}
    {% if cdc.format == 'csv' %}
        {% for column in cdc.columns %}
            {% do columns.append({'name': column.name, 'raw_type': 'string', 'type': cdc_table_type(column.type)}) %}
        {% endfor %}
        {% if cdc.options.header and raw.view is not none %}
            {% set known = cdc_control_columns(cdc) + columns | map(attribute='name') | map('lower') | list %}
            {% set names = run_query(cdc_csv_header_sql(raw.view, cdc.options.delimiter)).columns['name'].values() %}
            {% for name in names if name | lower not in known %}
                {% do columns.append({'name': name, 'raw_type': 'string', 'type': 'string'}) %}
            {% endfor %}
        {% endif %}
    {% else %}
        {% for column in raw.columns if column.name | lower not in cdc_control_columns(cdc) %}
            {% do columns.append({'name': column.name, 'raw_type': column.type, 'type': cdc_table_type(column.type)}) %}
        {% endfor %}
    {% endif %}
    {% do return(columns) %}
{% endmacro %}
