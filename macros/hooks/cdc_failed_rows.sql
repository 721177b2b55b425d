{#
    The first rows that each failed data test found, by the id of its node, as dictionaries. A test whose rows can't be read
    again has none: nothing at the end of a command fails for them.
#}
{% macro cdc_failed_rows(results) %}
    {% set failed = adapter.notes('failed rows') %}
    {% for result in results if result.node.resource_type == 'test' and result.status in ['fail', 'warn'] %}
        {% if result.node.unique_id not in failed %}
            {% set rows_sql = 'select * from (' ~ result.node.compiled_code ~ '\n) limit 5' %}
            {% do failed.update({result.node.unique_id: adapter.attempt(rows_sql).rows}) %}
        {% endif %}
    {% endfor %}
    {% do return(failed) %}
{% endmacro %}
