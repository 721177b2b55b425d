{# A column that was renamed may stand under both names, in different files or in one: the new name goes first. #}
{% macro cdc_parquet_value_sql(cdc, raw, column) -%}
{%- set present = raw.columns | map(attribute='name') | map('lower') | list -%}
{%- set names = cdc_names_in_files(cdc, column.name) | select('in', present) | list -%}
{%- if names | length < 2 -%}
raw.{{ cdc_quote(column.name if names in [[], [column.name | lower]] else names[0]) }}
{%- else -%}
coalesce(
            {%- for name in names -%}
            cast(raw.{{ cdc_quote(name) }} as {{ column.raw_type }}){{ ', ' if not loop.last }}
            {%- endfor -%}
        )
{%- endif -%}
{%- endmacro %}
