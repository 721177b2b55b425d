{#
    The procedures that are due, and what each does. Files of 75 % of the size that Iceberg writes are small to it, and it
    would rewrite a table of that size whenever five files are added; here only what is small in itself is put together.
    A compaction sees how much of a data file is deleted only where a delete file belongs to that one alone.
#}
{% macro cdc_maintenance_steps(name, state, small_bytes, settings) %}
    {% set steps = [] %}
    {% set has_deletes = state.deleted_rows > settings.delete_ratio * state.records %}
    {% if state.loose_delete_files >= (1 if has_deletes else settings.min_files) %}
        {% do steps.append({
            'what': 'sort deletes by file',
            'sql': cdc_call_sql('rewrite_position_delete_files', name, {'options': "map('rewrite-all', 'true')"}),
        }) %}
    {% endif %}
    {% if state.small_files or has_deletes %}
        {% do steps.append({
            'what': 'compact',
            'sql': cdc_call_sql('rewrite_data_files', name, {'options': 'map('
                ~ "'min-input-files', '" ~ settings.min_files ~ "', 'min-file-size-bytes', '" ~ small_bytes
                ~ "', 'delete-ratio-threshold', '" ~ settings.delete_ratio ~ "', 'remove-dangling-deletes', 'true')"}),
        }) %}
    {% elif state.manifests >= settings.min_manifests %}
        {% do steps.append({'what': 'rewrite manifests', 'sql': cdc_call_sql('rewrite_manifests', name, {})}) %}
    {% endif %}
    {% if state.old_snapshots >= settings.min_expired %}
        {% do steps.append({
            'what': 'expire snapshots',
            'sql': cdc_call_sql('expire_snapshots', name, {
                'older_than': "timestamp '" ~ state.expire_before ~ "'", 'retain_last': settings.keep_snapshots,
            }),
        }) %}
        {% do steps.append({
            'what': 'remove orphan files',
            'sql': cdc_call_sql('remove_orphan_files', name, {'older_than': "timestamp '" ~ state.orphans_before ~ "'"}),
        }) %}
    {% endif %}
    {% do return(steps) %}
{% endmacro %}
