{# Registers the view that cdc_bronze_sql reads from. A file that cannot be read is rejected and stops nothing else. #}
{% macro cdc_read_files(cdc, files) %}
    {% if not files.paths %}
        {% do return({'view': none, 'columns': [], 'schemas': []}) %}
    {% endif %}
    {% set view = this.identifier ~ '__raw' %}
    {% set is_csv = cdc.format == 'csv' %}
    {% set options = {'verify': 'full'} %}
    {% if is_csv %}
        {% do options.update({'lineSep': '\n'}) %}
    {% endif %}
    {% set raw = adapter.read_files(view, 'text' if is_csv else cdc.format, files.paths, options) %}
    {% for file in raw.rejected %}
        {% do exceptions.warn(this ~ ': rejected ' ~ file.path ~ ': ' ~ file.reason) %}
    {% endfor %}
    {% set files_sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), cdc, 0, files.last_batch_id) %}
    {% do cdc_reject_files(cdc, files_sql, 'unreadable', raw.rejected) %}
    {% set columns = [] if is_csv else raw.columns %}
    {% if is_csv and cdc.options.header and raw.columns %}
        {% for name in run_query(cdc_csv_header_sql(view, cdc.options.delimiter)).columns['name'].values() %}
            {% do columns.append({'name': name, 'type': 'string'}) %}
        {% endfor %}
    {% endif %}
    {% do return({'view': view, 'columns': columns, 'schemas': raw.schemas}) %}
{% endmacro %}
