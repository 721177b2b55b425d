{#
    The rows that pass now, each at its old position; `kept` columns have the values that they had. A message has the
    position that it got in its batch: of the row of a second snapshot the message alone does not show it.
#}
{% macro cdc_replay_sql(cdc, bronze, columns, kept, judged_sql, renamed=()) -%}
insert into {{ bronze }} ({{ get_quoted_csv(columns) }}, _cdc_quarantine_reason)
with judged as (
    {{ judged_sql | indent(4) }}
),

waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
)

select
    {%- for column in columns %}
    {%- if column == '_cdc_unavailable_columns' and column in kept and renamed %}
    {{ _still_unavailable_sql(renamed) | indent(4) }},
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


{#
    A column that was renamed since may be in the row under its new name, and be listed under the old one. The content
    names the columns of the file; that of an older version of the project names those with a value.
#}
{% macro _still_unavailable_sql(renamed) -%}
{%- set content_sql = "from_json(waiting.bad._cdc_quarantine_content, 'map<string,string>')" -%}
nullif(
    filter(waiting.bad._cdc_unavailable_columns, name -> case
        {%- for names in renamed %}
        when {{ _is_named_sql('name', names) }}
            then not exists(
                coalesce(
                    map_keys(from_json({{ content_sql }}[''], 'map<string,string>')), map_keys({{ content_sql }})
                ),
                file_name -> {{ _is_named_sql('file_name', names) }}
            )
        {%- endfor %}
        else true
    end),
    cast(array() as array<string>)
) as _cdc_unavailable_columns
{%- endmacro %}


{% macro _is_named_sql(name, names) -%}
lower({{ name }}) in (
    {%- for other in names %}{{ adapter.string_literal(other) }}{{ ', ' if not loop.last }}{% endfor -%}
)
{%- endmacro %}
