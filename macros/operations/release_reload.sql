{#
    Completes the reloads of a table that wait for rows or files that could not be read: what they do not hold is removed by
    the next run of silver: dbt run-operation release_reload --args '{table: sampledb__product}'
#}
{% macro release_reload(table) %}
    {% set node = cdc_silver_node(table) %}
    {% set bronze = cdc_table_of('bronze', node.cdc) %}
    {% do adapter.start_write(bronze) if bronze is not none %}
    {% set held = run_query(cdc_held_reloads_sql(bronze)).rows if bronze is not none else [] %}
    {% if not held %}
        {{ print(node.alias ~ ': no reload waits. Nothing was released.') }}
    {% else %}
        {% do cdc_release_reloads(bronze, held | map(attribute='generation') | list, 'by release_reload') %}
        {% for reload in held %}
            {{ print(node.alias ~ ': released load generation ' ~ reload['generation'] ~ '. ' ~ reload['reason']) }}
        {% endfor %}
        {{ print('The next run of ' ~ node.name ~ ' removes the keys that the load does not hold.') }}
    {% endif %}
{% endmacro %}
