{#
    One field as text. A null word, and the word for a value that the change does not carry, count only without
    quotes (docs/feeds/dms_format.md, Values in CSV).
#}
{% macro cdc_csv_text_sql(layout, position) -%}
{%- set field = 'try_element_at(_cdc_fields, cast(' ~ position ~ ' as int))' -%}
case
    when {{ field }} like '"%'
        then replace(substring({{ field }}, 2, length({{ field }}) - 2), '""', '"')
    when {{ field }} in ({{ layout.null_words_sql }}) then null
    else {{ field }}
end
{%- endmacro %}
