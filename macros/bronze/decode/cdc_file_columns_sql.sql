{# What every record knows of its file. The names start with an underscore to stay clear of the source's columns. #}
{% macro cdc_file_columns_sql() -%}
files.object_key as _cdc_object_key,
files.kind as _cdc_kind,
files.file_time as _cdc_file_time,
files.modified_at as _cdc_modified_at,
files.generation as _cdc_generation,
files.batch_id as _cdc_batch_id,
files.place as _cdc_place,
files.object as _cdc_object,
files.version as _cdc_version,
files.ingested_at as _cdc_ingested_at,
raw._file_row as _cdc_row
{%- endmacro %}
