{#
    A part of bronze as silver applies it: the columns that silver has, and a change of a key as two changes at one
    source position, the delete of the old key and the change itself (docs/architecture.md). A table without a key takes
    what was inserted. A key that changed only in what its comparison ignores is the same key.
#}
{% macro cdc_log_sql(cdc, plan, rows_sql, has_key_changes) -%}
{%- set log = adapter.call_function('python_udfs.pipeline.silver_rows.plan_log', {
    'warehouse': adapter, 'cdc': cdc, 'columns': plan, 'has_key_changes': has_key_changes,
}) -%}
select
    {{ log.columns | join(',\n    ') }},
    {{ log.operation }},
    _cdc_committed_at,
    _cdc_sequence,
    _cdc_generation,
    _cdc_batch_id,
    {{ (log.source_position + (log.unavailable,)) | join(',\n    ') }}
from (
    {{ (cdc_renamed_columns_sql(cdc, plan, rows_sql) if log.has_renames else rows_sql) | indent(4) }}
) as bronze
{%- if log.splits_keys %}
lateral view explode(if(_cdc_old_key is null, array(false), array(false, true))) as _cdc_is_old_key
where _cdc_operation {{ log.operations }} and not (_cdc_is_old_key and {{ log.is_same_key }})
{%- else %}
where _cdc_operation {{ log.operations }}
{%- endif %}
{%- endmacro %}
