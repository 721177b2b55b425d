{# The bronze tables that may have rows in quarantine: Iceberg's manifests know which files have no rule of any row. #}
{% macro cdc_quarantined_tables() %}
    {% set notes = adapter.notes('quarantined') %}
    {% if 'tables' in notes %}
        {% do return(notes.tables) %}
    {% endif %}
    {% set tables = [] %}
    {% for node in cdc_models_of('bronze') %}
        {% set bronze = load_relation(cdc_relation_of(node)) %}
        {% if bronze is not none and adapter.may_have_values(bronze, '_cdc_quarantine_rule') %}
            {% do tables.append(node.cdc) %}
        {% endif %}
    {% endfor %}
    {% do notes.update({'tables': tables}) %}
    {% do return(tables) %}
{% endmacro %}
