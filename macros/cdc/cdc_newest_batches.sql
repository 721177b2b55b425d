{# What cdc_newest_batches_sql says of a table. One query answers for all tables of a run. #}
{% macro cdc_newest_batches(cdc) %}
    {% for row in adapter.run_once(cdc_newest_batches_sql(cdc_relation_of('raw_listing'))) %}
        {% if row['feed'] == cdc.feed and row['source_schema'] == cdc.source_schema
            and row['source_table'] == cdc.source_table %}
            {% do return({'batch_id': row['batch_id'] | int, 'shared_batch_id': (row['shared_batch_id'] or 0) | int}) %}
        {% endif %}
    {% endfor %}
    {% do return({'batch_id': 0, 'shared_batch_id': 0}) %}
{% endmacro %}
