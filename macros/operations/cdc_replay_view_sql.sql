{#
    Quarantined rows as adapter.read_files would show them: lines of CSV, or the columns of parquet files. A value that
    JSON wrote as text goes to its column as text; binary and nested ones are what they were. Messages are those that
    cdc_parse_again shows.
#}
{% macro cdc_replay_view_sql(cdc, bronze, columns, batch_id) -%}
{%- if cdc.format == 'json' -%}
{{ _parsed_messages_sql(cdc, bronze, batch_id) }}
{%- else -%}
{%- set millis_sql = 'cast(' ~ cdc_sequence_part('bad._cdc_sequence', 'modified_millis') ~ ' as bigint)' %}
{%- set path_sql = cdc_replay_path_sql('bad._cdc_source_file', millis_sql) -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
)
{%- if cdc.format == 'csv' %}

select
    {{ path_sql }} as _file_path,
    timestamp_millis({{ millis_sql }}) as _file_modified_at,
    bad._cdc_file_row + line_number as _file_row,
    value
from waiting
lateral view posexplode(split(bad._cdc_quarantine_content, '\n')) as line_number, value
{%- else %},

contents as (
    select
        {{ path_sql }} as _file_path,
        bad._cdc_file_row as _file_row,
        from_json(bad._cdc_quarantine_content, 'map<string,string>') as content
    from waiting
)

select
    {%- for column in columns %}
    {%- set text = 'content[' ~ adapter.string_literal(column.get('file_name', column.name)) ~ ']' %}
    {%- if column.type == 'binary' %}
    unbase64({{ text }}) as {{ adapter.quote(column.name) }},
    {%- elif column.type != 'string' %}
    from_json({{ text }}, {{ adapter.string_literal(column.type) }}) as {{ adapter.quote(column.name) }},
    {%- else %}
    {{ text }} as {{ adapter.quote(column.name) }},
    {%- endif %}
    {%- endfor %}
    _file_path,
    _file_row,
    cast(null as int) as _file_schema
from contents
{%- endif %}
{%- endif %}
{%- endmacro %}


{% macro _parsed_messages_sql(cdc, bronze, batch_id) -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
),

messages as (
    {{ cdc_messages_sql(adapter.quote(bronze.identifier ~ '__parsed'), cdc, 0) | indent(4) }}
)

select
    messages.* except (generation, batch_id),
    waiting.bad._cdc_generation as generation,
    cast({{ batch_id }} as bigint) as batch_id
from messages
inner join waiting
    on
        messages.file_key = waiting.bad._cdc_source_file
        and messages.file_row = waiting.bad._cdc_file_row
        and messages.batch_id = waiting.bad._cdc_batch_id
{%- endmacro %}
