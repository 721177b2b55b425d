{#
    One row about a part of bronze. No collections: they would make the aggregate a slower one; and objects are told apart
    by a hash of their paths: to cut them out of sequences took half of its time. With a table, it also says of its keys how
    many were there before the part (their first change is no insert), how many of those are deleted, and where the type
    of the key has a range that can be written, that range as text.
#}
{% macro cdc_bronze_range_summary_sql(rows_sql, cdc=none, range_type=none) -%}
with changes as (
    {{ rows_sql | indent(4) }}
),

parts as (
    select
        count(*) as changes,
        min(_cdc_sequence) as first_sequence,
        max(_cdc_sequence) as last_sequence,
        max(_cdc_batch_id) as last_batch_id,
        max(_cdc_committed_at) as last_committed_at,
        count_if(_cdc_operation in ('U', 'D')) as updates_and_deletes,
        min(_cdc_sequence) filter (where _cdc_operation = 'T') as first_truncate,
        min({{ cdc_barrier_sql() | indent(8) }}) as first_barrier,
        max({{ cdc_barrier_sql() | indent(8) }}) as last_barrier,
        bool_or(_cdc_operation = 'D') as has_deletes,
        bool_or(_cdc_unavailable_columns is not null) as has_partial,
        bool_or(_cdc_old_key is not null) as has_key_changes,
        min(xxhash64(_cdc_source_file)) as first_file,
        max(xxhash64(_cdc_source_file)) as last_file
        {%- if cdc %},
        min_by(_cdc_operation, _cdc_sequence) not in ('I', 'L') as was_there,
        max_by(_cdc_operation, _cdc_sequence) = 'D' as is_deleted
        {%- endif %}
        {%- if range_type %},
        min({{ cdc_quote(cdc.primary_key[0]) }}) as first_key,
        max({{ cdc_quote(cdc.primary_key[0]) }}) as last_key
        {%- endif %}
    from changes
    {%- if cdc %}
    group by {{ cdc_key_list_sql(cdc) }}
    {%- endif %}
)

select
    coalesce(sum(changes), 0) as changes,
    min(first_sequence) as first_sequence,
    max(last_sequence) as last_sequence,
    max(last_batch_id) as last_batch_id,
    date_format(max(last_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as last_committed_at,
    coalesce(sum(updates_and_deletes), 0) as updates_and_deletes,
    min(first_truncate) as first_truncate,
    min(first_barrier) as first_barrier,
    max(last_barrier) as last_barrier,
    coalesce(bool_or(has_deletes), false) as has_deletes,
    coalesce(bool_or(has_partial), false) as has_partial,
    coalesce(bool_or(has_key_changes), false) as has_key_changes,
    {%- if range_type %}
    cast(min(first_key) as string) as first_key,
    cast(max(last_key) as string) as last_key,
    {%- endif %}
    {%- if cdc %}
    count_if(was_there) as rows_before,
    count_if(was_there and is_deleted) as rows_deleted,
    {%- endif %}
    coalesce(min(first_file) <> max(last_file), false) as has_many_objects
from parts
{%- endmacro %}
