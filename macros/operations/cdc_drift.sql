{# The question of `make drift` (python_udfs/drift), after the landing area was listed. #}
{% macro cdc_drift() %}
    {% do cdc_answer(adapter.call_function('python_udfs.drift.question.ask_drift', {
        'project': cdc_project(), 'listing': ref('raw_listing'), 'rejected': ref('rejected_files'),
    })) %}
{% endmacro %}
