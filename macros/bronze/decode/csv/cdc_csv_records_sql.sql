{# Lines to records to named text values. #}
{% macro cdc_csv_records_sql(cdc, raw, plan, file_columns, before_images=()) -%}
{%- set header = cdc.options.header -%}
{#- How a header's names of DMS's own columns are marked (cdc_csv_layout_sql). -#}
{%- set own = '=' if header else '' -%}
{{ cdc_csv_lines_sql(cdc, raw, file_columns) }},

split as (
    select
        *,
        {{ cdc_csv_fields_sql('_cdc_content', cdc.options.delimiter) | indent(8) }} as _cdc_fields
    from whole
),

{{ cdc_csv_layout_sql(cdc, before_images | map(attribute='name') | list) }},

records as (
    select
        *,
        {{ cdc_csv_unavailable_sql(cdc, plan) | indent(8) }} as _cdc_unavailable_columns,
        {{ _csv_absent_keys_sql(cdc, plan) | indent(8) }} as _cdc_absent_keys,
        {%- for column in plan if column.raw_type is not none %}
        {{ cdc_csv_value_sql(cdc, column.name) }} as {{ adapter.quote(column.name) }},
        {%- endfor %}
        {%- for column in before_images if column.raw_type is not none %}
        {{ cdc_csv_value_sql(cdc, own ~ column.name) }} as {{ adapter.quote(column.name) }},
        {%- endfor %}
        {%- if cdc.options.change_sequence_column %}
        nullif(trim({{ cdc_csv_value_sql(cdc, own ~ cdc.options.change_sequence_column) }}), '') as _cdc_change_sequence,
        {%- endif %}
        {{ _csv_control_sql(cdc, 'operation') }} as _cdc_op,
        {{ _csv_control_sql(cdc, 'timestamp') }} as _cdc_commit_text
    from laid_out
    {%- if header %}
    where _cdc_row > 0 or {{ cdc_csv_no_header_sql(cdc) }}
    {%- endif %}
)
{%- endmacro %}


{# The columns of the key that a header lacks. Without a header a record that lacks columns is malformed. #}
{% macro _csv_absent_keys_sql(cdc, plan) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set conditions = {} -%}
{%- for column in plan if cdc.options.header and column.name | lower in keys -%}
    {%- do conditions.update({column.name: cdc_csv_position_sql(cdc, column.name) ~ ' is null'}) -%}
{%- endfor -%}
{{ cdc_names_where_sql(conditions) }}
{%- endmacro %}


{# The operation or the timestamp column of a CSV record. #}
{% macro _csv_control_sql(cdc, control) -%}
{%- set has_operation = cdc.options.operation_column != 'never' -%}
{%- set timestamp_column = cdc.options.timestamp_column -%}
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
