{# The shape of records while nothing has arrived yet, or nothing but a truncate. #}
{% macro cdc_no_records_sql(columns) -%}
records as (
    select
        {%- for column in columns %}
        cast(null as {{ column.raw_type or column.type }}) as {{ adapter.quote(column.name) }},
        {%- endfor %}
        cast(null as array<string>) as _cdc_unavailable_columns,
        cast(null as string) as _cdc_op,
        cast(null as string) as _cdc_commit_text,
        cast(null as string) as _cdc_malformed,
        cast(null as array<string>) as _cdc_absent_keys,
        cast(null as string) as _cdc_content,
        cast(null as bigint) as _cdc_row,
        {{ cdc_file_columns_sql() | indent(8) }}
    from files
    where false
)
{%- endmacro %}
