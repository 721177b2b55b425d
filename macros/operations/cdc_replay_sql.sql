{#
    The rows that pass now, each at its old position; `kept` columns have the values that they had. A message has the
    position that it got in its batch: of the row of a second snapshot the message alone does not show it.
#}
{% macro cdc_replay_sql(cdc, bronze, columns, kept, judged_sql) -%}
insert into {{ bronze }} ({{ get_quoted_csv(columns) }}, _cdc_quarantine_reason)
with judged as (
    {{ judged_sql | indent(4) }}
),

waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
)

select
    {%- for column in columns %}
    {%- if column == '_cdc_unavailable_columns' and column in kept and cdc.renamed_columns %}
    {{ _still_unavailable_sql(cdc.renamed_columns, columns | map('lower') | list) | indent(4) }},
    {%- else %}
    {{ 'waiting.bad' if column in kept else 'judged' }}.{{ adapter.quote(column) }},
    {%- endif %}
    {%- endfor %}
    concat('released: ', waiting.bad._cdc_quarantine_reason) as _cdc_quarantine_reason
from judged
inner join waiting
    on
        {%- if cdc.format == 'json' %}
        judged._cdc_source_file = waiting.bad._cdc_source_file
        and judged._cdc_file_row = waiting.bad._cdc_file_row
        and {{ cdc_sequence_part('judged._cdc_sequence', 'modified_millis') }}
            = {{ cdc_sequence_part('waiting._cdc_sequence', 'modified_millis') }}
        {%- else %}
        judged._cdc_sequence = waiting._cdc_sequence
        {%- endif %}
where
    judged._cdc_quarantine_rule is null
    {#- Bytes that were no text are not in the content: another character stands for them. #}
    and not (
        contains(waiting.bad._cdc_quarantine_content, '\ufffd')
        and contains(waiting.bad._cdc_quarantine_reason, 'expected text in ')
    )
{%- endmacro %}


{# A column that was renamed since may be in the row under its new name, and be listed under the old one. #}
{% macro _still_unavailable_sql(renamed_columns, columns) -%}
nullif(
    filter(waiting.bad._cdc_unavailable_columns, name -> case
        {%- for old, new in renamed_columns.items() if new | lower in columns %}
        {%- set names = adapter.string_literal(old | lower) ~ ', ' ~ adapter.string_literal(new | lower) %}
        when lower(name) in ({{ names }}) then judged.{{ adapter.quote(new) }} is null
        {%- endfor %}
        else true
    end),
    cast(array() as array<string>)
) as _cdc_unavailable_columns
{%- endmacro %}
