{#
    Whether the news move a barrier that is there already. A complete load generation ends versions at the first commit
    time of its load (of all its rows, where the load had none), so a late row of it may come with an earlier one. Of a
    generation before the one applied last it is not known here whether it was complete: then the answer is yes.
#}
{% macro cdc_moves_barrier(bronze, changes) %}
    {% if changes.last_sequence < '000002' %}
        {% do return(false) %}
    {% endif %}
    {% for news in run_query(cdc_generation_starts_sql(changes.sql)) if news['generation'] <= changes.barrier %}
        {% if news['generation'] < changes.applied_sequence[:6] %}
            {% do return(true) %}
        {% endif %}
        {% set log_sql = cdc_bronze_range_sql(bronze, none, changes.to_snapshot_id, 0, changes.has_overwritten) %}
        {% if not run_query(cdc_earlier_start_sql(log_sql, news)) | length %}
            {% do return(true) %}
        {% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}
