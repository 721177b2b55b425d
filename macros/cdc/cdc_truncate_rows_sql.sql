{# No file says that a table was truncated; the listing does, when all of the table's objects are gone. #}
{% macro cdc_truncate_rows_sql(plan) -%}
select
    {%- for column in plan %}
    cast(null as {{ column.type }}) as {{ cdc_quote(column.name) }},
    {%- endfor %}
    'T' as _cdc_operation,
    _cdc_file_time as _cdc_committed_at,
    {{ cdc_sequence_sql('_cdc_place') | indent(4) }} as _cdc_sequence,
    _cdc_generation,
    _cdc_object_key as _cdc_source_file,
    _cdc_row as _cdc_file_row,
    _cdc_batch_id,
    _cdc_ingested_at,
    cast(null as array<string>) as _cdc_unavailable_columns,
    {{ cdc_old_key_sql([]) }} as _cdc_old_key,
    cast(null as string) as _cdc_quarantine_rule,
    cast(null as string) as _cdc_quarantine_reason,
    cast(null as string) as _cdc_quarantine_content
from truncates
{%- endmacro %}
