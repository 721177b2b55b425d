{# The split tables of Debezium's feeds, each with those of its tables that have models. #}
{% macro cdc_debezium_splits() %}
    {% set splits = [] %}
    {% for split in cdc_split_tables() if split.connector == 'debezium' %}
        {% set tables = [] %}
        {% for node in cdc_models_of('bronze') if node.config.meta.cdc.feed == split.feed %}
            {% do tables.append(node.config.meta.cdc) %}
        {% endfor %}
        {% do splits.append(dict(split, tables=tables)) %}
    {% endfor %}
    {% do return(splits) %}
{% endmacro %}
