{#
    The columns of RangeFacts (python_udfs/pipeline/delta.py). No groups and no collections: they would make the
    aggregate a slower one.
#}
{% macro cdc_range_facts_sql(rows_sql, key=none) -%}
with changes as (
    {{ rows_sql | indent(4) }}
)

select
    count(*) as changes,
    min(_cdc_sequence) as first_sequence,
    max(_cdc_sequence) as last_sequence,
    max(_cdc_batch_id) as last_batch_id,
    date_format(max(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as last_committed_at,
    count_if(_cdc_operation in ('U', 'D')) as updates_and_deletes,
    min(_cdc_sequence) filter (where _cdc_operation in ('T', 'R')) as first_truncate,
    min({{ cdc_reset_point_sql() | indent(4) }}) as first_reset_point,
    max({{ cdc_reset_point_sql() | indent(4) }}) as last_reset_point,
    coalesce(bool_or(_cdc_operation = 'D'), false) as has_deletes,
    coalesce(bool_or(_cdc_operation = 'X'), false) as has_overwritten,
    coalesce(bool_or(_cdc_unavailable_columns is not null), false) as has_partial,
    coalesce(bool_or(_cdc_old_key is not null), false) as has_key_changes,
    {%- if key %}
    cast(min({{ adapter.quote(key) }}) as string) as first_key,
    cast(max({{ adapter.quote(key) }}) as string) as last_key,
    {%- endif %}
    min(_cdc_source_file) as first_file,
    max(_cdc_source_file) as last_file
from changes
{%- endmacro %}
