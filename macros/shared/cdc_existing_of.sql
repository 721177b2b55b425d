{# The relation of a model; none if it has not been built yet. #}
{% macro cdc_existing_of(model) %}
    {% do return(adapter.get_relation(database=model.database, schema=model.schema, identifier=model.alias)) %}
{% endmacro %}
