{#
    One row about a table, from metadata alone: what is there, and what could go. Snapshots are kept from the oldest one
    on that progress needs: the newest that carries the table's own, in bronze the one that silver names, and those that gold
    names, until gold has not followed a change for gold_days. A delete
    file is loose if it is of several data files or not the only one of its own; where it is of one, its paths have bounds
    (field 2147483546 of Iceberg's specification).
#}
{% macro cdc_maintenance_state_sql(relation, is_partitioned, reader, needed, small_bytes, settings) -%}
with files as (
    select
        content = 0 as is_data,
        content = 1 and file_format <> 'PUFFIN' as has_positions,
        lower_bounds[2147483546] as of_data_file,
        record_count,
        file_size_in_bytes,
        {{ 'spec_id, partition' if is_partitioned else 'spec_id' }}
    from {{ relation }}.files
),

small as (
    select count(*) as files
    from files
    where is_data and file_size_in_bytes < {{ small_bytes }}
    group by {{ 'spec_id, partition' if is_partitioned else 'spec_id' }}
),

{% if reader -%}
reader as (
    {{ cdc_progress_sql(reader) | indent(4) }}
),

{% endif -%}
limits as (
    select
        least(
            current_timestamp() - make_dt_interval({{ settings.older_than_days }}),
            {%- if reader %}
            (
                select named.committed_at
                from {{ relation }}.snapshots as named
                inner join reader
                    on named.snapshot_id = from_json(reader.progress, 'map<string, string>')['cdc.bronze-snapshot-id']
            ),
            {%- endif %}
            {%- if needed %}
            (
                {{ _maintenance_held_sql(relation, needed, settings.gold_days) | indent(16) }}
            ),
            {%- endif %}
            (
                select max(own.committed_at)
                from {{ relation }}.snapshots as own
                inner join {{ relation }}.history as lineage on own.snapshot_id = lineage.snapshot_id
                where
                    lineage.is_current_ancestor
                    and (
                        map_contains_key(own.summary, 'cdc.batch-id')
                        or map_contains_key(own.summary, 'refresh-state')
                    )
            )
        ) as expire_before
),

dated as (
    select
        every.committed_at < limits.expire_before
            and row_number() over (order by every.committed_at desc) > {{ settings.keep_snapshots }} as is_old
    from {{ relation }}.snapshots as every
    cross join limits
)

select
    count_if(is_data) as files,
    coalesce(sum(record_count) filter (where is_data), 0) as records,
    coalesce(sum(record_count) filter (where not is_data), 0) as deleted_rows,
    coalesce(sum(file_size_in_bytes), 0) as bytes,
    count_if(has_positions) - count(distinct of_data_file) filter (where has_positions) as loose_delete_files,
    (select coalesce(sum(files), 0) from small where files >= {{ settings.min_files }}) as small_files,
    (select count(*) from {{ relation }}.manifests) as manifests,
    (select count(*) from dated) as snapshots,
    (select count_if(is_old) from dated) as old_snapshots,
    (select date_format(expire_before, 'yyyy-MM-dd HH:mm:ss.SSS') from limits) as expire_before,
    date_format(
        current_timestamp() - make_dt_interval({{ settings.orphan_days }}), 'yyyy-MM-dd HH:mm:ss.SSS'
    ) as orphans_before
from files
{%- endmacro %}


{# The oldest snapshot that gold names and whose first change after it is young enough. A compaction is no change. #}
{% macro _maintenance_held_sql(relation, needed, gold_days) -%}
select min(held.committed_at)
from (
    select
        named.committed_at,
        min(later.committed_at) as moved_at
    from {{ relation }}.snapshots as named
    left join {{ relation }}.snapshots as later
        on named.committed_at < later.committed_at and later.operation <> 'replace'
    where named.snapshot_id in ({{ needed | join(', ') }})
    group by named.snapshot_id, named.committed_at
) as held
where held.moved_at is null or held.moved_at > current_timestamp() - make_dt_interval({{ gold_days }})
{%- endmacro %}
