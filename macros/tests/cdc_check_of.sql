{#
    How far a silver table has to be compared with bronze: `full`, `step` (since the snapshot that was compared last; by
    induction the rest is right), `nothing`, or `empty` before any row was applied. All tests of one command get the same
    answer for one snapshot of the table.
#}
{% macro cdc_check_of(silver) %}
    {% set checks = adapter.notes('checks') %}
    {% set name = silver.schema ~ '.' ~ silver.identifier %}
    {% set snapshot_id = adapter.current_snapshot_id(silver) %}
    {% set snapshot = name ~ ' ' ~ snapshot_id %}
    {% if snapshot not in checks %}
        {% set check = _check_of(silver, snapshot_id, cdc_checked_tables().get(name)) %}
        {% do checks.update({snapshot: dict(check, name=name)}) %}
    {% endif %}
    {% do return(checks[snapshot]) %}
{% endmacro %}


{% macro _check_of(silver, snapshot_id, checked) %}
    {% set progress = cdc_progress(silver) %}
    {% if not progress.get('cdc.sequence') %}
        {% do return({'depth': 'empty'}) %}
    {% endif %}
    {% set cdc = cdc_config_of(silver) %}
    {% set check = {
        'depth': 'full', 'cdc': cdc, 'bronze': cdc_table_of('bronze', cdc), 'progress': progress,
        'snapshot_id': snapshot_id, 'schema_id': adapter.snapshot(silver, snapshot_id).schema_id,
    } %}
    {% set since = adapter.snapshots_since(silver, checked.snapshot_id) if checked else none %}
    {% set changed = since.snapshots | rejectattr('operation', 'equalto', 'replace') | list if since else [] %}
    {% do check.update({'foreign': cdc_foreign_snapshots(changed)}) %}
    {% set follows = since and since.is_ancestor and since.schema_id == checked.schema_id and not check.foreign %}
    {% if not follows or checked.is_due %}
        {% do return(check) %}
    {% endif %}
    {% do return(dict(check, **_step_of(check, checked, changed)) if changed else dict(check, depth='nothing')) %}
{% endmacro %}


{# What came between two snapshots of silver. A reset point or an overwritten file concerns all keys. #}
{% macro _step_of(check, checked, changed) %}
    {% set cdc, bronze, to_snapshot_id = check.cdc, check.bronze, check.progress['cdc.bronze-snapshot-id'] %}
    {% set is_there = adapter.is_current_ancestor(bronze, checked.bronze_snapshot_id) %}
    {% set from_snapshot_id = checked.bronze_snapshot_id if is_there else none %}
    {% set rows_sql = cdc_bronze_range_sql(bronze, from_snapshot_id, to_snapshot_id, checked.batch_id) %}
    {% set summary = cdc_bronze_range_summary(
        cdc, bronze, from_snapshot_id, to_snapshot_id, rows_sql, is_part=is_there
    ) %}
    {% set has_late = (summary['first_sequence'] or '~') <= checked.sequence %}
    {% set concerns_all = summary['first_reset_point'] or summary['has_overwritten']
        or (cdc.mode == 'history' and has_late and check.progress.get('cdc.reset-point')) %}
    {% set rows = check.progress.get('total-records', 0) | int %}
    {% set is_whole = not summary['has_partial'] and not cdc_is_soft(cdc) and cdc.mode != 'history' %}
    {% do return({
        'depth': 'full' if concerns_all else 'step',
        'silver_snapshot_id': checked.snapshot_id,
        'after_sequence': checked.sequence,
        'rows_sql': rows_sql,
        'has_late': has_late,
        'has_partial': summary['has_partial'],
        'log_sql': cdc_bronze_range_sql(bronze, none, to_snapshot_id, 0, true) if has_late else rows_sql,
        'has_key_changes': summary['has_key_changes'],
        'splits_keys': has_late or summary['has_key_changes'],
        'rows': rows,
        'is_small': adapter.is_small(summary['changes'], rows),
        'continues': not has_late and not is_whole,
        'is_newest': not has_late and is_whole and cdc.get('unchanged_rows') != 'skip',
        'net_rows': changed | sum(attribute='net_rows'),
    }) %}
{% endmacro %}
