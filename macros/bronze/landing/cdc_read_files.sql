{# Registers the view that cdc_bronze_sql reads from. A file that cannot be read is rejected and stops nothing else. #}
{% macro cdc_read_files(cdc, files) %}
    {% if not files.paths %}
        {% do return({'view': none, 'columns': [], 'schemas': [], 'has_line_breaks': false}) %}
    {% endif %}
    {% set raw = cdc_open_files(cdc, this.identifier ~ '__raw', files.paths, 'full') %}
    {% for file in raw.rejected %}
        {% do exceptions.warn(this ~ ': rejected ' ~ file.path ~ ': ' ~ file.reason) %}
    {% endfor %}
    {% do cdc_reject_files(cdc, files.sql, 'unreadable', raw.rejected) %}
    {% do return(raw) %}
{% endmacro %}
