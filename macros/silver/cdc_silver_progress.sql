{#
    What the snapshot of this run will record: how far silver is, and numbers of the run. Numbers that need a query on the
    data are computed only where the metadata or the listing shows that there is something to count.
#}
{% macro cdc_silver_progress(cdc, changes, plan, bronze=none, started_at=none) %}
    {% set progress = {
        'cdc.bronze-snapshot-id': changes.to_snapshot_id,
        'cdc.batch-id': changes.last_batch_id,
        'cdc.sequence': changes.last_sequence,
        'cdc.reset-point': changes.reset_point,
        'cdc.committed-at': changes.last_committed_at,
        'cdc.changes': changes.changes,
        'cdc.not-applied': changes.not_applied,
    } %}
    {% if changes.has_overwritten %}
        {% do progress.update({'cdc.overwritten': 'true'}) %}
    {% endif %}
    {% if changes.changes %}
        {% do progress.update({'cdc.ties': cdc_count_ties(cdc, changes, plan)}) %}
    {% endif %}
    {% if changes.changes and cdc.get('unchanged_rows') == 'skip' and cdc.mode == 'current' %}
        {% do progress.update({'cdc.keys': run_query(_count_keys_sql(cdc, changes)).rows[0]['keys']}) %}
    {% endif %}
    {% do progress.update(_run_numbers(bronze, changes, started_at, cdc.mode)) if started_at %}
    {% do return(progress) %}
{% endmacro %}


{% macro _count_keys_sql(cdc, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select distinct {{ cdc_key_list_sql(cdc) }}
    from new_changes
)

select count(*) as keys
from keys
{%- endmacro %}


{#
    From the snapshots of bronze that the run applies: no row is read. Quarantined rows are those that bronze got and silver did
    not; unknown where the range does not begin at a snapshot, or the whole log is applied again. Bronze is only added to.
#}
{% macro _run_numbers(bronze, changes, started_at, mode) %}
    {% set run = namespace(rows=0, seconds=0, is_known=not changes.replaces_all, is_applied=false) %}
    {% set marks = {} %}
    {% set parse = modules.datetime.datetime.fromisoformat %}
    {% for snapshot in adapter.snapshots_since(bronze, changes.from_snapshot_id).snapshots if not run.is_applied %}
        {% set run.rows = run.rows + snapshot.net_rows %}
        {% do marks.update(cdc_order_marks(snapshot.summary, mode)) %}
        {% set started, ended = snapshot.summary.get('cdc.started-at'), snapshot.committed_at ~ '+00:00' %}
        {% if started %}
            {% set run.seconds = run.seconds + (parse(ended) - parse(started)).total_seconds() %}
        {% endif %}
        {% if not changes.from_snapshot_id and loop.first and snapshot.rows != snapshot.net_rows %}
            {#- Snapshots before it have expired. -#}
            {% set run.is_known = false %}
        {% endif %}
        {% set run.is_applied = snapshot.snapshot_id == changes.to_snapshot_id %}
    {% endfor %}
    {% set numbers = dict(marks, **{'cdc.started-at': started_at, 'cdc.bronze-seconds': '%.3f' % run.seconds}) %}
    {% if run.is_known and run.rows >= changes.changes and (changes.from_snapshot_id or not changes.after_batch_id) %}
        {% do numbers.update({'cdc.quarantined': run.rows - changes.changes}) %}
    {% endif %}
    {% do return(numbers) %}
{% endmacro %}
