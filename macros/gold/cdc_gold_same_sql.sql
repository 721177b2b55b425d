{# Whether two rows have the same key, NULL as any other; columns without NULL are compared by =, which costs half. #}
{% macro cdc_gold_same_sql(left, columns, right, other_columns, filled=[]) -%}
{%- for column in columns -%}
    {%- set equals = '=' if column in filled else '<=>' -%}
    {{ left }}.{{ adapter.quote(column) }} {{ equals }} {{ right }}.{{ adapter.quote(other_columns[loop.index0]) }}
    {{- ' and ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
