{# What every record knows of its file. The names start with an underscore to stay clear of the source's columns. #}
{% macro cdc_file_columns_sql() -%}
files.path as _path,
files.kind as _kind,
files.object_key as _object_key,
files.file_time as _file_time,
files.modified_at as _modified_at,
files.generation as _generation,
files.batch_id as _batch_id,
raw._file_row as _row
{%- endmacro %}
