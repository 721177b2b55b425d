{# docs/contracts.md section 1.3: LOAD files may carry an operation or not; a feed of inserts only never does. #}
{% macro cdc_operation_sql(cdc) -%}
case
    when _cdc_kind = 'load' then 'L'
    when _cdc_kind = 'truncate' then 'T'
    {%- if cdc.options.operation_column == 'never' %}
    else 'I'
    {%- else %}
    else upper(trim(_cdc_op))
    {%- endif %}
end
{%- endmacro %}
