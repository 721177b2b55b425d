{# Carried in the compiled SQL from the query to the statement that writes: dbt renders the two apart. #}
{% macro cdc_generation_mark(generation) -%}
-- complete generation: {{ generation }}
{%- endmacro %}
