{# Tables with a key and with rows: cdc (as the silver model describes it), bronze and silver (the relations). #}
{% macro cdc_keyed_tables() %}
    {% set tables = [] %}
    {% for node in cdc_models_of('silver') %}
        {% set cdc = node.config.meta.cdc %}
        {% set bronze = cdc_table_of('bronze', cdc) if cdc.mode != 'append' %}
        {% set columns = adapter.get_columns_in_relation(bronze) if bronze else [] %}
        {% set names = columns | map(attribute='name') | map('lower') | list %}
        {% if names and not cdc.primary_key | map('lower') | reject('in', names) | list %}
            {% set silver = load_relation(cdc_relation_of(node)) %}
            {% do tables.append({'cdc': cdc, 'bronze': bronze, 'silver': silver}) if silver is not none %}
        {% endif %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
