{#
    The delta of bronze that silver has not applied: its facts, and silver's progress once it is applied. The range starts
    at the snapshot that was applied last; where that one is gone (expired, rolled back), at the batch that was applied
    last. Late changes need the facts of the whole log, too. A marker of an overwritten file removes rows, and nothing
    records what they had replaced: then the whole log is the delta.
#}
{% macro cdc_bronze_range(cdc, bronze, to_snapshot_id, progress, plan, is_again=false) %}
    {% set from_snapshot_id = progress.get('cdc.bronze-snapshot-id') %}
    {% set is_there = from_snapshot_id and adapter.is_current_ancestor(bronze, from_snapshot_id) %}
    {% set from_snapshot_id = from_snapshot_id if is_there else none %}
    {% set after_batch_id = progress.get('cdc.batch-id', 0) | int %}
    {% set applied_sequence = progress.get('cdc.sequence', '') %}
    {% set applied_reset_point = progress.get('cdc.reset-point', '') %}
    {% set has_overwritten = is_again or 'cdc.overwritten' in progress %}
    {% set rows_sql = cdc_bronze_range_sql(bronze, from_snapshot_id, to_snapshot_id, after_batch_id, is_again) %}
    {% set log_rows_sql = cdc_bronze_range_sql(bronze, none, to_snapshot_id, 0, has_overwritten) %}
    {% set may_replace = cdc.mode == 'current' and cdc_table_allows_replace(cdc, progress) %}
    {% set key_type = _range_type(cdc, plan) if may_replace or not progress else none %}
    {% set key = cdc.primary_key[0] if key_type else none %}
    {% set is_renamed = key and cdc.get('renamed_columns') %}
    {% set keyed_sql = cdc_renamed_columns_sql(cdc, plan, rows_sql) if is_renamed else rows_sql %}
    {% set is_part = from_snapshot_id or (after_batch_id == 0 and not is_again) %}
    {% set summary = cdc_bronze_range_summary(cdc, bronze, from_snapshot_id, to_snapshot_id, keyed_sql, key, is_part) %}
    {% if summary['has_overwritten'] %}
        {% set changes = cdc_bronze_range(cdc, bronze, to_snapshot_id, {}, plan, is_again=true) %}
        {% set last_batch_id = [after_batch_id, summary['last_batch_id']] | max %}
        {% do return(dict(changes, after_batch_id=after_batch_id, last_batch_id=last_batch_id)) %}
    {% endif %}
    {% set first_sequence = summary['first_sequence'] or applied_sequence ~ '~' %}
    {% set first_position = cdc_sequence_part(first_sequence, 'source_position', false) %}
    {% set has_late = first_sequence <= applied_sequence %}
    {% set log = cdc_bronze_range_summary(cdc, bronze, none, to_snapshot_id, log_rows_sql) if has_late else summary %}
    {% set found = [log['first_reset_point']] %}
    {% if log['first_reset_point'] != log['last_reset_point'] %}
        {% set found = cdc_reset_points(log_rows_sql if has_late else rows_sql) %}
    {% endif %}
    {% set reset_points = ([applied_reset_point] + found) | select | unique | sort %}
    {% set reset_point = reset_points[-1] if reset_points else '' %}
    {% set changes = {
        'sql': cdc_log_sql(cdc, plan, rows_sql, summary['has_key_changes']),
        'log_sql': cdc_log_sql(cdc, plan, log_rows_sql, log['has_key_changes']),
        'from_snapshot_id': from_snapshot_id, 'to_snapshot_id': to_snapshot_id,
        'has_overwritten': has_overwritten,
        'replaces_all': is_again,
        'applied_sequence': applied_sequence,
        'first_sequence': first_sequence,
        'has_late': has_late,
        'has_late_truncate': (summary['first_truncate'] or '~') <= applied_sequence,
        'has_partial': log['has_partial'],
        'has_key_changes': summary['has_key_changes'],
        'has_deletes': summary['has_deletes'] or summary['has_key_changes'],
        'reset_points': reset_points,
        'reset_point': reset_point,
        'has_new_reset_point': reset_point > applied_reset_point,
        'last_batch_id': [after_batch_id, summary['last_batch_id'] or 0] | max,
        'last_sequence': [applied_sequence, summary['last_sequence'] or ''] | max,
        'last_committed_at': [progress.get('cdc.committed-at', ''), summary['last_committed_at'] or ''] | max,
        'changes': summary['changes'],
        'first_position': first_position,
        'has_applied_positions': first_position <= cdc_sequence_part(applied_sequence, 'source_position', false),
        'has_one_order': _has_one_order(cdc, summary),
        'not_applied': summary['updates_and_deletes'] if cdc.mode == 'append' else 0,
        'after_batch_id': after_batch_id,
        'may_replace': may_replace,
        'key_range': {'type': key_type, 'first': summary['first_key'], 'last': summary['last_key']} if key else none,
    } %}
    {% do changes.update({'has_single_changes': not progress and cdc_has_single_changes(cdc, changes)}) %}
    {% do return(changes) %}
{% endmacro %}


{# Whether something orders all rows of one source position: they are of one file, or messages of one partition. #}
{% macro _has_one_order(cdc, summary) %}
    {% set files = {'first': summary['first_file'], 'last': summary['last_file']} %}
    {% if files.first == files.last or none in files.values() %}
        {% do return(files.first == files.last) %}
    {% endif %}
    {% do return(adapter.call_function('python_udfs.connectors.topic_offsets.share_partition', files)) %}
{% endmacro %}


{# The type of a key whose range can be written, so that files without any of it are left out; else none. #}
{% macro _range_type(cdc, plan) %}
    {% if cdc.primary_key | length == 1 and not cdc.get('key_comparison') %}
        {% for column in plan if column.name | lower == cdc.primary_key[0] | lower %}
            {% if column.type.split('(')[0] in ['tinyint', 'smallint', 'int', 'bigint', 'decimal', 'date'] %}
                {% do return(column.type) %}
            {% endif %}
        {% endfor %}
    {% endif %}
    {% do return(none) %}
{% endmacro %}
