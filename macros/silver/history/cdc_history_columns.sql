{# Columns of a history table after those of the source: when a version was valid, and the change that began it. #}
{% macro cdc_history_columns() %}
    {% do return([
        '_cdc_valid_from',
        '_cdc_valid_to',
        '_cdc_operation',
        '_cdc_committed_at',
        '_cdc_sequence',
        '_cdc_generation',
        '_cdc_batch_id',
    ]) %}
{% endmacro %}
