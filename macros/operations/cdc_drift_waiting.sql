{# Shows the messages and transaction files that wait for the split of a feed, as if its table had them. #}
{% macro cdc_drift_waiting(node) %}
    {% set split = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
    {% set arguments = {
        'seeds': adapter.project_path('seeds'),
        'feed': node.cdc.feed,
        'split': split | string if split is not none else none,
        'schema': node.schema,
        'view': node.alias ~ '__drift',
    } %}
    {% do return(adapter.call_function('python_udfs.drift.waiting.show_waiting', arguments, true)) %}
{% endmacro %}
