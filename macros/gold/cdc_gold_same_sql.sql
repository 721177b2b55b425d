{# Whether two rows have the same key. NULL is a key as any other; columns without it are compared by =, at half the cost. #}
{% macro cdc_gold_same_sql(left, columns, right, other_columns, filled=[]) -%}
{%- for column in columns -%}
    {%- set equals = '=' if column in filled else '<=>' -%}
    {{ left }}.{{ adapter.quote(column) }} {{ equals }} {{ right }}.{{ adapter.quote(other_columns[loop.index0]) }}
    {{- ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
