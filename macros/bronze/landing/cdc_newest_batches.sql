{#
    What the listing has of one table (cdc_listed_tables); not asked where nothing was listed since. Topics have no files.
#}
{% macro cdc_newest_batches(cdc, listing, after_batch_id) %}
    {% set found = {
        'batch_id': 0, 'earlier_batch_id': 0, 'shared_batch_id': 0, 'is_reloaded': 0, 'has_gone': 0, 'file_count': 0,
    } %}
    {% if cdc.get('is_kafka') %}
        {% do return(found) %}
    {% endif %}
    {#- None where the last commit was another program's. -#}
    {% set newest = adapter.current_summary(listing).get('cdc.batch-id') %}
    {% if newest and newest | int <= after_batch_id | int %}
        {% do return(found) %}
    {% endif %}
    {% set listed = cdc_listed_tables(listing).get((cdc.feed, cdc.source_schema, cdc.source_table), {}) %}
    {% for name in found %}
        {% do found.update({name: (listed.get(name) or 0) | int}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
