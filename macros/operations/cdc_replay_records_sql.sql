{#
    Quarantined rows of parquet as adapter.read_files would show them: each type of a name is a column. Left out are
    rows with a value that the content does not give back for sure; with `is_unsure` these are the rows. Of a row
    without types a text may be bytes in base64, or a time in the form of JSON.
#}
{% macro cdc_replay_records_sql(cdc, bronze, columns, is_unsure=false) -%}
{%- set millis_sql = 'cast(' ~ cdc_sequence_part('bad._cdc_sequence', 'modified_millis') ~ ' as bigint)' -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
),

contents as (
    select
        {{ cdc_replay_path_sql('bad._cdc_source_file', millis_sql) }} as _file_path,
        bad._cdc_file_row as _file_row,
        bad._cdc_quarantine_content as json,
        content,
        types
    from waiting
    {#- Each is parsed once a row: Spark would copy an expression into each place of the filter. #}
    lateral view explode(array(from_json(bad._cdc_quarantine_content, 'map<string,string>'))) as content
    lateral view explode(array(from_json(content[''], 'map<string,string>'))) as types
)

select
    {%- for column in columns %}
    {{ column.value }} as {{ adapter.quote(column.column) }},
    {%- endfor %}
    _file_path,
    _file_row,
    cast(null as int) as _file_schema
from contents
where
    {%- for column in columns %}
    {{ '' if is_unsure else 'not ' }}coalesce({{ column.unsure }}, false)
    {{- '' if loop.last else ' or' if is_unsure else ' and' }}
    {%- else %}
    {{ 'not ' if is_unsure }}true
    {%- endfor %}
{%- endmacro %}
