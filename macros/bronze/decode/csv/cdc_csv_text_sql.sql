{#
    One field as text. A null word, and the word for a value that the change does not carry, count only without
    quotes (docs/feeds/dms_format.md, Values in CSV).
#}
{% macro cdc_csv_text_sql(cdc, position) -%}
{%- set field = 'try_element_at(_cdc_fields, cast(' ~ position ~ ' as int))' -%}
{%- set words = cdc.options.null_values | list + [cdc.options.unavailable_value] -%}
case
            when {{ field }} like '"%'
                then replace(substring({{ field }}, 2, length({{ field }}) - 2), '""', '"')
            when {{ field }} in ({% for word in words if word is not none %}{{ adapter.string_literal(word) }}{{ ', ' if not loop.last }}{% endfor %}) then null
            else {{ field }}
        end
{%- endmacro %}
