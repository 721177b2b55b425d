{# Lines to records to named text values. #}
{% macro cdc_csv_records_sql(cdc, raw, plan, before_images=[]) -%}
{%- set header = cdc.options.header -%}
{#- How a header's names of DMS's own columns are marked (cdc_csv_layout_sql). -#}
{%- set own = '=' if header else '' -%}
{{ cdc_csv_lines_sql(cdc, raw) }},

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
        {%- for column in plan if column.raw_type is not none %}
        {{ cdc_csv_value_sql(cdc, column.name) }} as {{ adapter.quote(column.name) }},
        {%- endfor %}
        {%- for column in before_images if column.raw_type is not none %}
        {{ cdc_csv_value_sql(cdc, own ~ column.name) }} as {{ adapter.quote(column.name) }},
        {%- endfor %}
        {%- if cdc.options.get('change_sequence_column') %}
        nullif(trim({{ cdc_csv_value_sql(cdc, own ~ cdc.options.change_sequence_column) }}), '') as _cdc_change_sequence,
        {%- endif %}
        {{ cdc_csv_control_sql(cdc, 'operation') }} as _cdc_op,
        {{ cdc_csv_control_sql(cdc, 'timestamp') }} as _cdc_commit_text
    from placed
    {%- if header %}
    where _cdc_row > 0
    {%- endif %}
)
{%- endmacro %}
