{# The question of `make drift`, after the landing area was listed. Python reports the answer (python_udfs/drift). #}
{% macro cdc_drift() %}
    {% set is_listed = load_relation(ref('raw_listing')) is not none %}
    {% set tables = [] %}
    {% for node in cdc_models_of('bronze') if is_listed %}
        {% do tables.append(cdc_drift_of(node)) %}
    {% endfor %}
    {% do cdc_answer({'is_listed': is_listed, 'tables': tables | select | list}) %}
{% endmacro %}
