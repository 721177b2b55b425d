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
    {{ 'waiting.bad' if column in kept else 'judged' }}.{{ adapter.quote(column) }},
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
