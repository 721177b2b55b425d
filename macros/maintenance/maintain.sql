{#
    Compacts the tables that need it, expires old snapshots and removes orphan files, also while a run is under way:
    dbt run-operation maintain --args '{layer: silver, dry_run: true}'
#}
{% macro maintain(
    tables=none, layer=none, older_than_days=5, keep_snapshots=10, min_expired=10, orphan_days=3,
    min_files=4, small_file_mb=32, delete_ratio=0.05, min_manifests=50, dry_run=false
) %}
    {% set settings = {
        'older_than_days': older_than_days, 'keep_snapshots': keep_snapshots, 'min_expired': min_expired,
        'orphan_days': orphan_days, 'min_files': min_files, 'small_file_mb': small_file_mb,
        'delete_ratio': delete_ratio, 'min_manifests': min_manifests,
    } %}
    {% set names = [tables] if tables is string else tables %}
    {% do validate_maintain(settings, names, layer, dry_run) %}
    {% set rows, failed = [], [] %}
    {% set nodes = cdc_maintained_nodes(names, layer) %}
    {# What this session's rewrites of deletes write; batches use the property of their table. #}
    {% do adapter.set_properties({'spark.datasource.iceberg.delete-granularity': 'file'}) %}
    {% for node in nodes %}
        {% set row = cdc_maintain_table(node, settings, dry_run) %}
        {{ print(loop.index ~ ' of ' ~ nodes | length ~ ': ' ~ row.cells[0] ~ ': ' ~ row.cells[1]) }}
        {% do rows.append(row.cells) %}
        {% if row.is_failed %}
            {% do failed.append(row.cells[0]) %}
        {% endif %}
    {% endfor %}
    {% set titles = ['table', 'to do' if dry_run else 'done', 'files', 'deleted rows', 'snapshots', 'MB'] %}
    {{ print('\n' ~ cdc_text_table(titles, rows)) }}
    {% if failed %}
        {% do exceptions.raise_compiler_error(
            'CDC error (maintain): ' ~ failed | length ~ ' of ' ~ nodes | length ~ ' tables failed: ' ~ failed | join(', ')
            ~ '. The others are done. Nothing is lost: mend what the messages above say, and run it again.'
        ) %}
    {% endif %}
{% endmacro %}
