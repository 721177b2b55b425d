{# What cdc_newest_batches_sql says of a table. One query answers for all tables of a run. #}
{% macro cdc_newest_batches(cdc) %}
    {% set found = {
        'batch_id': 0, 'earlier_batch_id': 0, 'shared_batch_id': 0, 'is_reloaded': 0, 'has_gone': 0, 'objects': 0,
    } %}
    {% for row in adapter.run_once(cdc_newest_batches_sql(cdc_relation_of('raw_listing'))) %}
        {% if row['feed'] == cdc.feed and row['source_schema'] == cdc.source_schema
            and row['source_table'] == cdc.source_table %}
            {% for name in found %}
                {% do found.update({name: (row[name] or 0) | int}) %}
            {% endfor %}
        {% endif %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
