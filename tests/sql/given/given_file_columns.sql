{# Columns of parquet files: those of given_plan, and those that DMS adds. #}
{% macro given_file_columns() %}
    {% do return([
        {'name': 'id', 'type': 'int'}, {'name': 'line no', 'type': 'bigint'}, {'name': 'price', 'type': 'double'},
        {'name': 'Op', 'type': 'string'}, {'name': 'dms_timestamp', 'type': 'string'},
    ]) %}
{% endmacro %}
