{#
    What a run's commit records of the run itself, from the snapshots of bronze that it applies: no row is read. Quarantined
    rows are those that bronze got and silver did not; unknown where the range does not begin at a snapshot, or the whole
    log is applied again. Bronze is only added to, so its snapshots' net rows are what they brought.
#}
{% macro cdc_run_numbers(bronze, changes, started_at) %}
    {% set run = namespace(rows=0, seconds=0, is_known=not changes.replaces_all, is_applied=false) %}
    {% for snapshot in adapter.snapshots_since(bronze, changes.from_snapshot_id).snapshots if not run.is_applied %}
        {% set run.rows = run.rows + snapshot.net_rows %}
        {% if snapshot.summary.get('cdc.started-at') %}
            {% set run.seconds = run.seconds + _seconds(snapshot.summary['cdc.started-at'], snapshot.committed_at) %}
        {% endif %}
        {% if not changes.from_snapshot_id and loop.first and snapshot.rows != snapshot.net_rows %}
            {#- Snapshots before it have expired. -#}
            {% set run.is_known = false %}
        {% endif %}
        {% set run.is_applied = snapshot.snapshot_id == changes.to_snapshot_id %}
    {% endfor %}
    {% set numbers = {'cdc.started-at': started_at, 'cdc.bronze-seconds': '%.3f' % run.seconds} %}
    {% if run.is_known and run.rows >= changes.changes and (changes.from_snapshot_id or not changes.after_batch_id) %}
        {% do numbers.update({'cdc.quarantined': run.rows - changes.changes}) %}
    {% endif %}
    {% do return(numbers) %}
{% endmacro %}


{% macro _seconds(from, to) %}
    {% set format = '%Y-%m-%d %H:%M:%S.%f' %}
    {% set parse = modules.datetime.datetime.strptime %}
    {% do return((parse(to, format) - parse(from, format)).total_seconds()) %}
{% endmacro %}
