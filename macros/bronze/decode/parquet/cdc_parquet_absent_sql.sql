{# The columns that the file of a row lacks, those of the key or the others; NULL if it lacks none. #}
{% macro cdc_parquet_absent_sql(cdc, raw, plan, of_key=false) -%}
{%- set cases = [] -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- for schema in raw.schemas -%}
    {%- set present = schema | map(attribute='name') | map('lower') | list -%}
    {%- set absent = [] -%}
    {%- for column in plan if (column.name | lower in keys) == of_key -%}
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
