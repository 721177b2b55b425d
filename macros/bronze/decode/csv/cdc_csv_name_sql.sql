{# The name in a field of a header: without quotes, and without blanks and a carriage return at its ends. #}
{% macro cdc_csv_name_sql(field) -%}
{%- set blanks = "both ' \\t\\r' from " -%}
{%- set text = 'trim(' ~ blanks ~ field ~ ')' -%}
trim({{ blanks }}case
    when startswith({{ text }}, '"')
        then replace(substring({{ text }}, 2, length({{ text }}) - 2), '""', '"')
    else {{ text }}
end)
{%- endmacro %}
