{#
    Whether the listing has objects of a table in newer batches. One query answers for all tables of a run. A table whose
    records are split from objects of many tables has to look.
#}
{% macro cdc_is_listed(cdc, after_batch_id) %}
    {% if cdc_split_of(cdc) is not none %}
        {% do return(true) %}
    {% endif %}
    {% for row in adapter.run_once(cdc_newest_batches_sql(ref('raw_listing'))) %}
        {% if row['feed'] == cdc.feed and row['source_schema'] == cdc.source_schema
            and row['source_table'] == cdc.source_table %}
            {% do return(row['batch_id'] | int > after_batch_id | int) %}
        {% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}
