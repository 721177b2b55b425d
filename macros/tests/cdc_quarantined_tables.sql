{# The bronze tables that have rows in quarantine. Iceberg counts them without reading rows. #}
{% macro cdc_quarantined_tables() %}
    {% set nodes, counts = [], [] %}
    {% for node in cdc_models_of('bronze') %}
        {% set bronze = load_relation(cdc_relation_of(node)) %}
        {% if bronze is not none %}
            {% do nodes.append(node.config.meta.cdc) %}
            {% set number = nodes | length ~ ' as number' %}
            {% do counts.append('select ' ~ number ~ ', count(_cdc_quarantine_rule) as rows from ' ~ bronze) %}
        {% endif %}
    {% endfor %}
    {% set tables = [] %}
    {% if counts %}
        {% for row in run_query(counts | join('\nunion all\n')).rows if row['rows'] %}
            {% do tables.append(nodes[row['number'] | int - 1]) %}
        {% endfor %}
    {% endif %}
    {% do return(tables) %}
{% endmacro %}
