{# True where no column of the key has a value; a column that the files do not even have has none. #}
{% macro cdc_key_is_missing_sql(primary_key, columns) -%}
{%- set present = [] -%}
{%- for key in primary_key if key | lower in columns | map('lower') -%}
    {%- do present.append(adapter.quote(key) ~ ' is null') -%}
{%- endfor -%}
{{ present | join(' and ') if present else ('true' if primary_key else 'false') }}
{%- endmacro %}
