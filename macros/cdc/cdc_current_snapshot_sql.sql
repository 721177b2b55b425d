{# Where only compactions are left, the newest of them stands for the rows. #}
{% macro cdc_current_snapshot_sql(relation) -%}
select snapshots.snapshot_id
from {{ relation }}.snapshots as snapshots
inner join {{ relation }}.history as history on snapshots.snapshot_id = history.snapshot_id
where history.is_current_ancestor
order by snapshots.operation = 'replace', snapshots.committed_at desc
limit 1
{%- endmacro %}
