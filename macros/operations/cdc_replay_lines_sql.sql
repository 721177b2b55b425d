{# Quarantined records of CSV as adapter.read_files would show their lines. #}
{% macro cdc_replay_lines_sql(cdc, bronze) -%}
{%- set millis_sql = 'cast(' ~ cdc_sequence_part('bad._cdc_sequence', 'modified_millis') ~ ' as bigint)' -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
)

select
    {{ cdc_replay_path_sql('bad._cdc_source_file', millis_sql) }} as _file_path,
    timestamp_millis({{ millis_sql }}) as _file_modified_at,
    bad._cdc_file_row + line_number as _file_row,
    value
from waiting
lateral view posexplode(split(bad._cdc_quarantine_content, '\n')) as line_number, value
{%- endmacro %}
