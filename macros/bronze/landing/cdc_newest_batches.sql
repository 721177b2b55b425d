{# What the listing has of one table; not asked if nothing was listed since. #}
{% macro cdc_newest_batches(cdc, listing, after_batch_id) %}
    {% do return(adapter.call_function('python_udfs.pipeline.files.find_listed_table', {
        'warehouse': adapter, 'sql': context, 'listing': listing, 'cdc': cdc, 'after_batch_id': after_batch_id,
    })) %}
{% endmacro %}
