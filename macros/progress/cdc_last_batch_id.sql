{#
    The last batch that is in an append-only table. Expired snapshots take their summaries with them; the greatest
    batch id in the table is then a safe answer, because a batch is one commit.
#}
{% macro cdc_last_batch_id(relation) %}
    {% if relation is none %}
        {% do return(0) %}
    {% endif %}
    {% set summary = adapter.newest_summary(relation, 'cdc.batch-id') %}
    {% if summary %}
        {% do return(summary['cdc.batch-id'] | int) %}
    {% endif %}
    {% do return(run_query('select max(_cdc_batch_id) from ' ~ relation).columns[0].values()[0] or 0) %}
{% endmacro %}
