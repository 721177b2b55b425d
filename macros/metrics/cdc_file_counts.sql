{# What a table has after a snapshot, by the names of Iceberg; a row of run_metrics has them by its own. #}
{% macro cdc_file_counts(found) %}
    {% set names = {
        'bytes': 'total-files-size', 'data_files': 'total-data-files', 'delete_files': 'total-delete-files',
        'deleted_rows': 'total-position-deletes',
    } %}
    {% set counts = {} %}
    {% for name, of_iceberg in names.items() %}
        {% set count = found[of_iceberg] if of_iceberg in found else found.get(name) %}
        {% do counts.update({name: count | int}) if count is not none %}
    {% endfor %}
    {% do return(counts) %}
{% endmacro %}
