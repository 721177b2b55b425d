{#
    Keeps the objects that are new for a table. Most tables that have news have it in the newest batch and nowhere else:
    then the listing is asked once for all of them.
#}
{% macro cdc_cache_new_files(view, cdc, after_batch_id, sql) %}
    {% if cdc_asks_alone(cdc) %}
        {% do return(adapter.keep(view, sql)) %}
    {% endif %}
    {% set newest = cdc_newest_batches(cdc) %}
    {% set is_odd = newest.has_gone or newest.is_reloaded %}
    {% if is_odd or newest.earlier_batch_id > after_batch_id | int or newest.objects > 10000 %}
        {% do return(adapter.keep(view, sql)) %}
    {% endif %}
    {% set of_all_sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), none, newest.batch_id - 1) %}
    {% set table = {'feed': cdc.feed, 'source_schema': cdc.source_schema, 'source_table': cdc.source_table} %}
    {% do adapter.keep(view, of_all_sql, table) %}
{% endmacro %}
