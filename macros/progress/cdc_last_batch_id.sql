{#
    The last batch that is in an append-only table. Expired snapshots take their summaries with them; the greatest
    batch id in the table is then a safe answer, because a batch is one commit.
#}
{% macro cdc_last_batch_id(relation) %}
    {% if relation is none %}
        {% do return(0) %}
    {% endif %}
    {% set progress = cdc_progress(relation) %}
    {% if 'cdc.batch-id' in progress %}
        {% do return(progress['cdc.batch-id'] | int) %}
    {% endif %}
    {% do return(run_query('select max(_cdc_batch_id) from ' ~ relation).columns[0].values()[0] or 0) %}
{% endmacro %}
