{# One field as text: a null word counts only without quotes (docs/contracts.md section 1.5). #}
{% macro cdc_csv_text_sql(cdc, position) -%}
{%- set field = 'try_element_at(_cdc_fields, cast(' ~ position ~ ' as int))' -%}
case
            when {{ field }} like '"%'
                then replace(substring({{ field }}, 2, length({{ field }}) - 2), '""', '"')
            when {{ field }} in ({% for word in cdc.options.null_values %}{{ cdc_string_sql(word) }}{{ ', ' if not loop.last }}{% endfor %}) then null
            else {{ field }}
        end
{%- endmacro %}
