{# Lines to records to named text values. #}
{% macro cdc_csv_records_sql(layout, rows) -%}
{{ cdc_csv_lines_sql(layout, rows.view) }},
{%- if rows.has_line_breaks %}

{{ cdc_csv_joined_lines_sql(layout.patterns.delimiter) }},
{%- endif %}

split as (
    select
        *,
        {{ cdc_csv_fields_sql('_cdc_content', layout.patterns.delimiter) | indent(8) }} as _cdc_fields
    from {{ 'joined_lines' if rows.has_line_breaks else 'lines' }}
),
{%- if layout.has_header %}

{{ cdc_csv_headed_sql(layout) }},
{%- endif %}

{{ cdc_csv_layout_sql(layout) }},

records as (
    select
        *,
        {{ cdc_names_where_sql(layout.unavailable) | indent(8) }} as _cdc_unavailable_columns,
        {{ cdc_names_where_sql(layout.absent_keys) | indent(8) }} as _cdc_absent_keys,
        {%- for name, position in layout.positions.items() %}
        {{ cdc_csv_text_sql(layout, position) | indent(8) }} as {{ adapter.quote(name) }},
        {%- endfor %}
        {%- if layout.change_sequence %}
        nullif(trim({{ cdc_csv_text_sql(layout, layout.change_sequence) | indent(8) }}), '') as _cdc_change_sequence,
        {%- endif %}
        {{ cdc_csv_text_sql(layout, layout.operation) | indent(8) }} as _cdc_op,
        {{ cdc_csv_text_sql(layout, layout.timestamp) | indent(8) }} as _cdc_commit_text
    from laid_out
    {%- if layout.has_header %}
    where _cdc_row > 0 or not arrays_overlap(_cdc_header, array({{ layout.own_names_sql }}))
    {%- endif %}
)
{%- endmacro %}
