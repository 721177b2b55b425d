{#
    One row about a table, from metadata alone: what is there, and what could go. A delete file is loose if it is of
    several data files or not the only one of its own; if it is of one, its paths have bounds (field 2147483546 of
    Iceberg's specification).
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

limits as (
    select
        {{ cdc_expire_before_sql(relation, reader, needed, settings) | indent(8) }} as expire_before
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

