{#
    Rows that no file holds: the listing shows that all files of a table are gone, that a file was overwritten, or that
    a reload has ended, which may wait in quarantine.
#}
{% macro cdc_marker_rows_sql(columns, operation, markers) -%}
select
    {%- for column in columns %}
    cast(null as {{ column.type }}) as {{ adapter.quote(column.name) }},
    {%- endfor %}
    '{{ operation }}' as _cdc_operation,
    _cdc_committed_at,
    {{ cdc_sequence_sql('_cdc_file_position') | indent(4) }} as _cdc_sequence,
    _cdc_generation,
    _cdc_file_key as _cdc_source_file,
    _cdc_row as _cdc_file_row,
    _cdc_batch_id,
    _cdc_ingested_at,
    cast(null as array<string>) as _cdc_unavailable_columns,
    cast(null as map <string, string>) as _cdc_old_key,
    _cdc_rule as _cdc_quarantine_rule,
    _cdc_reason as _cdc_quarantine_reason,
    _cdc_content as _cdc_quarantine_content
from {{ markers }}
{%- endmacro %}
