{# docs/contracts.md section 1.3: LOAD files may or may not carry an operation, and a feed of inserts only never does. #}
{% macro cdc_operation_sql(cdc) -%}
case
    when _kind = 'load' then 'L'
    {%- if cdc.options.operation_column == 'never' %}
    else 'I'
    {%- else %}
    else upper(trim(_op))
    {%- endif %}
end
{%- endmacro %}
