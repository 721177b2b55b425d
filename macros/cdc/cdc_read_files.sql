{# Registers the view that cdc_bronze_sql reads from. A file that cannot be read is rejected and stops nothing else. #}
{% macro cdc_read_files(cdc, files) %}
    {% if not files.paths %}
        {% do return({'view': none, 'columns': [], 'schemas': [], 'has_line_breaks': false}) %}
    {% endif %}
    {% set raw = cdc_open_files(cdc, this.identifier ~ '__raw', files.paths, 'full') %}
    {% for file in raw.rejected %}
        {% do exceptions.warn(this ~ ': rejected ' ~ file.path ~ ': ' ~ file.reason) %}
    {% endfor %}
    {% set files_sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), cdc, 0, files.last_batch_id) %}
    {% do cdc_reject_files(cdc, files_sql, 'unreadable', raw.rejected) %}
    {% do return(raw) %}
{% endmacro %}
