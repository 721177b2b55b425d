{# The question of `make drift`, after the landing area was listed. Python reports the answer (python_udfs/drift). #}
{% macro cdc_drift() %}
    {% set is_listed = load_relation(ref('raw_listing')) is not none %}
    {% set feeds, tables, views = [], [], {} %}
    {% for node in cdc_models_of('split') if is_listed %}
        {% do feeds.append(cdc_drift_waiting(node)) %}
        {% do views.update({feeds[-1].feed: feeds[-1].view}) %}
    {% endfor %}
    {% for node in cdc_models_of('bronze') if is_listed and views.get(node.cdc.feed, '') is not none %}
        {% do tables.append(cdc_drift_of(node, views.get(node.cdc.feed))) %}
    {% endfor %}
    {% do cdc_answer({'is_listed': is_listed, 'feeds': feeds, 'tables': tables | select | list}) %}
{% endmacro %}
