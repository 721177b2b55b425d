{#
    A column that was renamed may stand under both names, in different files or in one; one whose type is not the same in
    all files is cast file by file, from the type that it has there.
#}
{% macro cdc_parquet_value_sql(cdc, raw, column) -%}
{%- set values = [] -%}
{%- for part in cdc_parquet_parts(cdc, raw, column) -%}
    {%- set is_cast = column.get('is_cast') and part.raw_type != part.type -%}
    {%- do values.append(cdc_try_cast_sql(part.sql, part.raw_type, part.type) | trim if is_cast else part.sql) -%}
{%- endfor -%}
{{ values[0] if values | length == 1 else 'coalesce(' ~ values | join(', ') ~ ')' }}
{%- endmacro %}
