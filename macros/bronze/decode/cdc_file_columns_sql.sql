{# The columns of `files` that each record has of its file. #}
{% macro cdc_file_columns_sql() -%}
files.file_key as _cdc_file_key,
files.kind as _cdc_kind,
files.file_time as _cdc_file_time,
files.modified_at as _cdc_modified_at,
files.generation as _cdc_generation,
files.batch_id as _cdc_batch_id,
files.file_position as _cdc_file_position,
files.file_hash as _cdc_file_hash,
files.modified_millis as _cdc_modified_millis,
files.ingested_at as _cdc_ingested_at
{%- endmacro %}
