{#
    Compacts the tables that need it, expires old snapshots and removes orphan files, also while a run is under way:
    dbt run-operation maintain --args '{layer: silver, dry_run: true}'
#}
{% macro maintain(
    tables=none, layer=none, older_than_days=none, keep_snapshots=none, min_expired=none, orphan_days=none,
    min_files=none, small_file_mb=none, delete_ratio=none, min_manifests=none, dry_run=false
) %}
    {% set decisions, outcomes = 'python_udfs.pipeline.maintenance.', [] %}
    {% set plan = adapter.call_function(decisions ~ 'plan_maintenance', {
        'models': cdc_models(), 'has_views': adapter.has_views(), 'tables': tables, 'layer': layer, 'dry_run': dry_run,
        'thresholds': {
            'older_than_days': older_than_days, 'keep_snapshots': keep_snapshots, 'min_expired': min_expired,
            'orphan_days': orphan_days, 'min_files': min_files, 'small_file_mb': small_file_mb,
            'delete_ratio': delete_ratio, 'min_manifests': min_manifests,
        },
    }) %}
    {# What this session's rewrites of deletes write; batches use the property of their table. #}
    {% do adapter.set_properties({'spark.datasource.iceberg.delete-granularity': 'file'}) %}
    {% for table in plan.tables %}
        {% do outcomes.append(cdc_maintain_table(table, plan)) %}
        {{ print(loop.index ~ ' of ' ~ plan.tables | length ~ ': ' ~ outcomes[-1].cells[:2] | join(': ')) }}
    {% endfor %}
    {{ print('\n' ~ adapter.call_function('python_udfs.pipeline.text_table.write_table', {
        'titles': ['table', 'to do' if dry_run else 'done', 'files', 'deleted rows', 'snapshots', 'MB'],
        'rows': outcomes | map(attribute='cells') | list,
    })) }}
    {% do adapter.call_function(decisions ~ 'require_success', {'outcomes': outcomes}) %}
{% endmacro %}
