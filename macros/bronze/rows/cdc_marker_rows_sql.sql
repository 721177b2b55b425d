{#
    Rows that no file holds: the listing shows that all files of a table are gone, that a file was overwritten, or that a
    reload has ended, which may wait in quarantine.
#}
{% macro cdc_marker_rows_sql(plan, operation, markers) -%}
select
    {%- for column in plan %}
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
    {{ cdc_old_key_sql([]) }} as _cdc_old_key,
    {%- for name in ['rule', 'reason', 'content'] %}
    {{ '_cdc_' ~ name if operation == 'R' else 'cast(null as string)' }} as _cdc_quarantine_{{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ markers }}
{%- endmacro %}
