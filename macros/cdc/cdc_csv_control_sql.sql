{# The operation or the timestamp column of a CSV record. #}
{% macro cdc_csv_control_sql(cdc, control) -%}
{%- set has_operation = cdc.options.operation_column != 'never' -%}
{%- set timestamp_column = cdc.options.get('timestamp_column') -%}
{%- if control == 'operation' and not has_operation or control == 'timestamp' and not timestamp_column -%}
    cast(null as string)
{%- elif cdc.options.header -%}
    {{ cdc_csv_value_sql(cdc, '=' ~ ('op' if control == 'operation' else timestamp_column)) }}
{%- elif control == 'operation' -%}
    {{ cdc_csv_text_sql(cdc, '1') }}
{%- else -%}
    {{ cdc_csv_text_sql(cdc, '_cdc_lead') }}
{%- endif -%}
{%- endmacro %}
