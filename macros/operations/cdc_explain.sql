{#
    The question of `make explain`: everything in bronze and silver that decides one key. Python judges it
    (python_udfs/explain).
#}
{% macro cdc_explain(table, key) %}
    {% set model = cdc_silver_node(table) %}
    {% do cdc_answer(adapter.call_function('python_udfs.explain.question.ask_key', {
        'warehouse': adapter, 'macros': context, 'cdc': model.cdc, 'key': key,
        'bronze': cdc_table_of('bronze', model.cdc), 'silver': cdc_existing_of(model),
    })) %}
{% endmacro %}
