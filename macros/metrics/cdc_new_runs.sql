{#
    The snapshots of silver tables that run_metrics lacks, from the tables' metadata, as the view run_metrics_new that the
    model reads. A snapshot that a rollback or a rebuild took from its table stays on record, and is not current. After a
    compaction the newest run gets the files that are there now.
#}
{% macro cdc_new_runs(recorded, tables) %}
    {% set newest = cdc_newest_runs(recorded) %}
    {% set found = {'rows': [], 'replaced': [], 'has_gone': false, 'runs': 0} %}
    {% for table in tables %}
        {% set name = table.relation.schema ~ '.' ~ table.relation.identifier %}
        {% set before = newest.get(name) %}
        {% set since = adapter.snapshots_since(table.relation, before['snapshot_id'] if before else none) %}
        {% set runs = _runs_of(since.snapshots, before['rows_total'] if before and since.is_ancestor else none) %}
        {% if runs and runs[-1].rows_total is none %}
            {% do runs[-1].update({'rows_total': run_query('select count(*) from ' ~ table.relation).rows[0][0]}) %}
        {% endif %}
        {% set files = cdc_file_counts(since.snapshots[-1].summary) if since.snapshots else {} %}
        {% do runs[-1].update(files) if runs %}
        {% if runs or since.is_ancestor == false %}
            {% set old = [before['snapshot_id']] if before and since.is_ancestor != false else (since.gone or []) %}
            {% for snapshot_id in old %}
                {% do runs.insert(0, {'snapshot_id': snapshot_id, 'is_current': since.is_ancestor != false}) %}
            {% endfor %}
            {% do found.update({'runs': found.runs + runs | selectattr('summary', 'defined') | list | length}) %}
            {% if since.is_ancestor != true %}
                {% do found.update({'has_gone': true}) %}
                {% do found.replaced.append(name) if since.is_ancestor == false and since.gone is none %}
            {% endif %}
        {% elif before and files and files != cdc_file_counts(before) %}
            {% do runs.append(dict(files, snapshot_id=before['snapshot_id'], is_current=true, is_newest=true)) %}
        {% endif %}
        {% for run in runs %}
            {% do found.rows.append(dict(
                run, feed=table.feed, source_schema=table.source_schema, source_table=table.source_table,
                silver_table=name, is_newest=loop.last and ('summary' in run or 'is_newest' in run),
            )) %}
        {% endfor %}
    {% endfor %}
    {% do found.update({'is_new': recorded is none or found.rows or found.replaced}) %}
    {% do adapter.rows_view('run_metrics_new', found.rows, _new_runs_schema()) if found.is_new %}
    {% do return(found) %}
{% endmacro %}


{% macro _new_runs_schema() %}
    {% do return(
        'feed string, source_schema string, source_table string, silver_table string, snapshot_id bigint,'
        ~ ' committed_at string, is_current boolean, is_newest boolean, rows_total bigint, bytes bigint,'
        ~ ' data_files bigint, delete_files bigint, deleted_rows bigint, summary map<string, string>'
    ) %}
{% endmacro %}


{# The runs among some snapshots, each with the rows of the table then; none where the summaries do not show them. #}
{% macro _runs_of(snapshots, rows_before) %}
    {% set table, runs = namespace(rows=rows_before), [] %}
    {% for snapshot in snapshots if snapshot.operation != 'replace' %}
        {% set table.rows = snapshot.rows if snapshot.rows is not none else
            (table.rows + snapshot.net_rows if table.rows is not none else none) %}
        {% if 'cdc.batch-id' in snapshot.summary %}
            {% do runs.append(dict(
                cdc_file_counts(snapshot.summary), snapshot_id=snapshot.snapshot_id, committed_at=snapshot.committed_at,
                is_current=true, rows_total=table.rows, summary=snapshot.summary,
            )) %}
        {% endif %}
    {% endfor %}
    {% do return(runs) %}
{% endmacro %}
