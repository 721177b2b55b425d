{# No file says that a reload is complete; the listing does. The row stands behind the loads and before the changes. #}
{% macro cdc_reload_rows_sql(plan, generations, last_batch_id) -%}
select
    {%- for column in plan %}
    cast(null as {{ column.type }}) as {{ cdc_quote(column.name) }},
    {%- endfor %}
    'R' as _cdc_operation,
    cast(null as timestamp) as _cdc_committed_at,
    concat(
        lpad(generation, 6, '0'), '.1.', repeat('0', 20), '.', repeat('0', 16), '.', repeat('0', 12), '.', repeat('0', 14)
    ) as _cdc_sequence,
    generation as _cdc_generation,
    cast(null as string) as _cdc_source_file,
    cast(null as bigint) as _cdc_file_row,
    cast({{ last_batch_id }} as bigint) as _cdc_batch_id,
    timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00' as _cdc_ingested_at,
    cast(null as array<string>) as _cdc_unavailable_columns,
    {{ cdc_old_key_sql([]) }} as _cdc_old_key,
    cast(null as string) as _cdc_quarantine_rule,
    cast(null as string) as _cdc_quarantine_reason,
    cast(null as string) as _cdc_quarantine_content
from values {% for generation in generations %}({{ generation }}){{ ', ' if not loop.last }}{% endfor %} as reloads (generation)
{%- endmacro %}
