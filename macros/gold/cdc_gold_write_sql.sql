{# The statement that writes a gold table the planned way; none if it is written already (python_udfs/gold/write.py). #}
{% macro cdc_gold_write_sql(plan, gold) %}
    {% do return(adapter.call_function('python_udfs.gold.write.write_gold', {
        'warehouse': adapter, 'sql': context, 'plan': plan, 'gold': gold, 'target': this, 'config': config,
        'command': invocation_id,
    })) %}
{% endmacro %}
