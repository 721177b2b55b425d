{#
    Which part of bronze is new to silver, and the greatest sequence, batch and commit time once it is applied. The
    range starts at the snapshot that was applied last; where that one is gone (expired, rolled back), at the batch
    that was applied last. A load generation is complete once a change of it has come: DMS writes none before the
    load has ended.
#}
{% macro cdc_bronze_range(bronze, to_snapshot_id, progress) %}
    {% set from_snapshot_id = progress.get('cdc.bronze-snapshot-id') %}
    {% if from_snapshot_id and not cdc_is_ancestor(bronze, from_snapshot_id) %}
        {% set from_snapshot_id = none %}
    {% endif %}
    {% set after_batch_id = progress.get('cdc.batch-id', 0) | int %}
    {% set applied_sequence = progress.get('cdc.sequence', '') %}
    {% set changes_sql = cdc_bronze_range_sql(bronze, from_snapshot_id, to_snapshot_id, after_batch_id) %}
    {% set news = run_query(cdc_bronze_range_summary_sql(changes_sql)).rows[0] %}
    {% set applied_generation = progress.get('cdc.generation', 1) | int %}
    {% set generation = [applied_generation, news['complete_generation'] or 1] | max %}
    {% set first_sequence = news['first_sequence'] or '' %}
    {% do return({
        'sql': changes_sql,
        'generation': generation,
        'completes_generation': generation > applied_generation,
        'to_snapshot_id': to_snapshot_id,
        'applied_sequence': applied_sequence,
        'has_late': first_sequence != '' and first_sequence <= applied_sequence,
        'last_batch_id': [after_batch_id, news['last_batch_id'] or 0] | max,
        'last_sequence': [applied_sequence, news['last_sequence'] or ''] | max,
        'last_committed_at': [progress.get('cdc.committed-at', ''), news['last_committed_at'] or ''] | max,
    }) %}
{% endmacro %}
