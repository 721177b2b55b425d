{# A place for each column that is cast while the files are read; a row has a value in one of its parts. #}
{% macro cdc_parquet_failed_casts_sql(cdc, raw, columns) -%}
array(
    {%- for column in columns | selectattr('is_cast') %}
    {%- set parts = cdc_parquet_parts(cdc, raw, column) %}
    get(array_compact({{ cdc_cast_failures_sql(parts, has_types=true, bronze=raw.bronze | default(none)) }}), 0){{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
