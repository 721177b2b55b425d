{# Only ancestors of the current snapshot count: a rollback of the table rolls its progress back with it. #}
{% macro cdc_progress_sql(relation) -%}
select to_json(map_filter(snapshots.summary, (name, value) -> name like 'cdc.%')) as progress
from {{ relation }}.snapshots as snapshots
inner join {{ relation }}.history as history on snapshots.snapshot_id = history.snapshot_id
where history.is_current_ancestor and map_contains_key(snapshots.summary, 'cdc.batch-id')
order by snapshots.committed_at desc
limit 1
{%- endmacro %}
