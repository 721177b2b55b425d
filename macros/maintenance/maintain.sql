{#
    Compacts the tables that need it, expires old snapshots and removes orphan files, also while a run is under way:
    dbt run-operation maintain --args '{layer: silver, dry_run: true}'
#}
{% macro maintain(
    tables=none, layer=none, older_than_days=none, keep_snapshots=none, min_expired=none, orphan_days=none,
    min_files=none, small_file_mb=none, delete_ratio=none, min_manifests=none, gold_days=none,
    statistics=none, dry_run=false
) %}
    {% do adapter.call_function('python_udfs.pipeline.maintenance.maintain', {
        'project': cdc_project(), 'tables': tables, 'layer': layer, 'dry_run': dry_run,
        'thresholds': {
            'older_than_days': older_than_days, 'keep_snapshots': keep_snapshots, 'min_expired': min_expired,
            'orphan_days': orphan_days, 'min_files': min_files, 'small_file_mb': small_file_mb,
            'delete_ratio': delete_ratio, 'min_manifests': min_manifests,
            'gold_days': gold_days, 'statistics': statistics,
        },
    }) %}
{% endmacro %}
