{# Ends raw_listing with an error if a feed could not be listed. #}
{% macro cdc_require_listed_feeds() %}
    {% set arguments = {'warehouse': adapter, 'unique_id': model.unique_id} %}
    {% do adapter.call_function('python_udfs.pipeline.hooks.require_listed_feeds', arguments) if execute %}
{% endmacro %}
