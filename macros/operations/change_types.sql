{#
    Gives the columns of a table the types of the seed, or those that its quarantined rows need, and rewrites bronze and
    silver, each by one commit. Killed at any point it is simply repeated; the next run completes silver, too:
    dbt run-operation change_types --args '{table: sampledb__product}'
#}
{% macro change_types(table) %}
    {% set node = cdc_silver_node(table) %}
    {% set bronze = cdc_required_bronze(node) %}
    {% set cdc = cdc_with_silver(cdc_node_of('bronze', node.cdc).cdc, bronze) %}
    {% set decided = cdc_type_changes(cdc, bronze) %}
    {% do validate_change_types(node.alias, bronze, decided) %}
    {% for column in decided.changes %}
        {% set becomes = column.raw_type ~ ' becomes ' ~ column.type ~ ' (' ~ column.origin ~ ')' %}
        {{ print(bronze ~ ': ' ~ column.name ~ ' ' ~ becomes) }}
    {% endfor %}
    {% for sentence in decided.left %}
        {{ print('not changed: ' ~ sentence) }}
    {% endfor %}
    {% set first = 'rewriting ' ~ bronze if decided.changes else bronze ~ ' has its types, nothing to rewrite' %}
    {{ print('1 of 3: ' ~ first) }}
    {% do cdc_rewrite_bronze(bronze, decided.changes) if decided.changes %}
    {{ print('2 of 3: replaying the quarantine') }}
    {{ print(cdc_replay(node, cdc, bronze)) }}
    {% set is_behind = adapter.call_function('python_udfs.pipeline.silver.is_of_other_types', {
        'warehouse': adapter, 'cdc': cdc, 'bronze': bronze, 'silver': cdc_table_of('silver', cdc),
    }) %}
    {% set is_rebuilt = decided.changes or is_behind %}
    {{ print('3 of 3: ' ~ ('rebuilding silver' if is_rebuilt else 'silver has these types, nothing to rebuild')) }}
    {% do rebuild_silver(table) if is_rebuilt %}
{% endmacro %}
