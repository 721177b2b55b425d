{# The question of `make report` (python_udfs/report). #}
{% macro cdc_report(runs) %}
    {% set arguments = {'project': cdc_project(), 'runs': runs} %}
    {% do cdc_answer(adapter.call_function('python_udfs.report.question.ask_report', arguments)) %}
{% endmacro %}
