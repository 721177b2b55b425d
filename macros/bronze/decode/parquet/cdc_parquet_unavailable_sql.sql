{# With absent_columns=keep, a column that a file lacks is unavailable in its rows: parquet has no word for it. #}
{% macro cdc_parquet_unavailable_sql(cdc, raw, plan) -%}
{%- set cases = [] -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- for schema in raw.schemas -%}
    {%- set present = schema | map(attribute='name') | map('lower') | list -%}
    {%- set absent = [] -%}
    {%- for column in plan if column.name | lower not in keys -%}
        {%- if not cdc_names_in_files(cdc, column.name) | select('in', present) | list -%}
            {%- do absent.append(adapter.string_literal(column.name)) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if absent -%}
        {%- do cases.append('when ' ~ loop.index0 ~ ' then array(' ~ absent | join(', ') ~ ')') -%}
    {%- endif -%}
{%- endfor -%}
{%- if not cases -%}
cast(null as array<string>)
{%- else -%}
case raw._file_schema
    {%- for case in cases %}
    {{ case }}
    {%- endfor %}
end
{%- endif -%}
{%- endmacro %}
