{# A CSV file is opened as lines of text; its columns are the names in its header, where there is one. #}
{% macro cdc_open_files(cdc, view, paths, verify) %}
    {% set is_csv = cdc.format == 'csv' %}
    {% set options = {'verify': verify} %}
    {% if cdc.format == 'parquet' %}
        {# Nested values are text: they fit each other whatever fields they have, in any cut into batches. #}
        {% do options.update({'nested': 'json'}) %}
    {% endif %}
    {% if is_csv %}
        {% set odd_quotes = "(octet_length(value) - octet_length(replace(value, '\"'))) % 2 = 1" %}
        {% do options.update({'lineSep': '\n', 'find': odd_quotes}) %}
    {% endif %}
    {% set raw = adapter.read_files(view, 'text' if is_csv else cdc.format, paths, options) %}
    {% set columns = [] if is_csv else raw.columns %}
    {% if is_csv and cdc.options.header and raw.columns %}
        {% for name in run_query(cdc_csv_header_sql(view, cdc.options.delimiter)).columns['name'].values() %}
            {% do columns.append({'name': name, 'type': 'string'}) %}
        {% endfor %}
    {% endif %}
    {% set found = view if raw.columns else none %}
    {% do return({
        'view': found, 'columns': columns, 'schemas': raw.schemas, 'rejected': raw.rejected,
        'has_line_breaks': raw.found | length > 0,
    }) %}
{% endmacro %}
