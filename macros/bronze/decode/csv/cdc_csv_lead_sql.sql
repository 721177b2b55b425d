{#
    How many fields stand before the values of a record without a header (docs/feeds/dms_format.md): operation and
    timestamp columns, of which LOAD files have one fewer unless operation_column is always. Records of multi-table files
    have table and schema after the operation (docs/feeds/dms_format.md, Transaction files).
#}
{% macro cdc_csv_lead_sql(cdc) -%}
{%- set timestamps = 1 if cdc.options.timestamp_column else 0 -%}
{%- set lead = {
    'auto': 'if(_cdc_kind = ' ~ "'load'" ~ ', ' ~ timestamps ~ ', ' ~ (timestamps + 1) ~ ')',
    'always': timestamps + 1,
    'never': timestamps
}[cdc.options.operation_column] -%}
{{ 'if(_cdc_kind = ' ~ "'multi_table'" ~ ', ' ~ (timestamps + 3) ~ ', ' ~ lead ~ ')' if cdc.split else lead }}
{%- endmacro %}
