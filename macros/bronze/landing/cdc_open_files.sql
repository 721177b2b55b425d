{# A CSV file is opened as lines of text; its columns are the names in its header, where there is one. #}
{% macro cdc_open_files(cdc, view, paths, verify) %}
    {% set is_csv = cdc.format == 'csv' %}
    {% set options = {'verify': verify} %}
    {% if cdc.format == 'parquet' %}
        {#- Nested values are text: they fit each other whatever fields they have, in any cut into batches. -#}
        {% set exact = ['Op', cdc.options.get('timestamp_column'), cdc.options.get('change_sequence_column')] %}
        {% do options.update({'types': 'separate', 'exact': exact | select | list, 'nested': 'json'}) %}
        {% do options.update({'key': _key_in_files(cdc)}) %}
    {% endif %}
    {% if is_csv %}
        {% set find = cdc_csv_continues_sql('value', cdc.options.delimiter) %}
        {% do options.update({'lineSep': '\n', 'one_task': true, 'find': find}) %}
        {% do options.update({'charset': cdc.options.charset}) if cdc.options.get('charset') %}
    {% endif %}
    {% set raw = adapter.read_files(view, 'text' if is_csv else cdc.format, paths, options) %}
    {% set columns = [] if is_csv else raw.columns %}
    {% for column in columns + raw.schemas | sum(start=[]) if not is_csv %}
        {% do column.update({'file_name': column.name, 'name': cdc_table_name(column.name)}) %}
    {% endfor %}
    {% if is_csv and cdc.options.header and raw.columns %}
        {% for name in run_query(cdc_csv_header_sql(view, cdc.options.delimiter)).columns['name'].values() %}
            {% do columns.append({'name': cdc_table_name(name), 'file_name': name, 'type': 'string'}) %}
        {% endfor %}
    {% endif %}
    {% set found = view if raw.columns else none %}
    {% do return({
        'view': found, 'columns': columns, 'schemas': raw.schemas, 'rejected': raw.rejected,
        'has_line_breaks': raw.found | length > 0,
    }) %}
{% endmacro %}


{# The names, in lower case, that files may have for each key column. #}
{% macro _key_in_files(cdc) %}
    {% set key = [] %}
    {% for column in cdc.primary_key %}
        {% set names = [] %}
        {% for name in cdc_names_in_files(cdc, column) %}
            {% do names.append(cdc_file_name(name)) %}
        {% endfor %}
        {% do key.append(names) %}
    {% endfor %}
    {% do return(key) %}
{% endmacro %}
