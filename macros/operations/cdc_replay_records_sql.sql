{#
    Quarantined rows of parquet as adapter.read_files would show them. A value that JSON wrote as text goes to its
    column as text; binary and nested ones are what they were.
#}
{% macro cdc_replay_records_sql(cdc, bronze, columns) -%}
{%- set millis_sql = 'cast(' ~ cdc_sequence_part('bad._cdc_sequence', 'modified_millis') ~ ' as bigint)' -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
),

contents as (
    select
        {{ cdc_replay_path_sql('bad._cdc_source_file', millis_sql) }} as _file_path,
        bad._cdc_file_row as _file_row,
        from_json(bad._cdc_quarantine_content, 'map<string,string>') as content
    from waiting
)

select
    {%- for column in columns %}
    {{ _record_value_sql(column) }} as {{ adapter.quote(column.name) }},
    {%- endfor %}
    _file_path,
    _file_row,
    cast(null as int) as _file_schema
from contents
{%- endmacro %}


{% macro _record_value_sql(column) -%}
{%- if column.type == 'binary' -%}
unbase64(content[{{ adapter.string_literal(column.file_name) }}])
{%- elif column.type != 'string' -%}
from_json(content[{{ adapter.string_literal(column.file_name) }}], {{ adapter.string_literal(column.type) }})
{%- else -%}
content[{{ adapter.string_literal(column.file_name) }}]
{%- endif -%}
{%- endmacro %}
