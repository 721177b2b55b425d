{# The question of `make explain` (python_udfs/explain): everything in bronze and silver that decides one key. #}
{% macro cdc_explain(table, key) %}
    {% set arguments = {'project': cdc_project(), 'table': table, 'key': key} %}
    {% do cdc_answer(adapter.call_function('python_udfs.explain.question.ask_key', arguments)) %}
{% endmacro %}
