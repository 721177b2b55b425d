{# Whether two rows have the same key. NULL is a key as any other. #}
{% macro cdc_gold_same_sql(left, columns, right, other_columns) -%}
{%- for column in columns -%}
    {{ left }}.{{ adapter.quote(column) }} <=> {{ right }}.{{ adapter.quote(other_columns[loop.index0]) }}
    {{- ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
