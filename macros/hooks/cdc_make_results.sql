{# `make quality` runs beside a build: it only makes the table of its results, where no build has. #}
{% macro cdc_make_results() %}
    {% set results = cdc_relation_of('expectation_results') %}
    {% set created = cdc_create_recorded(results, cdc_result_columns()) if load_relation(results) is none else {} %}
    {% if created.error %}
        {% do exceptions.raise_compiler_error(created.error) %}
    {% endif %}
    {% do cdc_answer(results | string) %}
{% endmacro %}
