{# Which of some models exist, by name: a project that reads no Kafka lacks its views, and a new one lacks all. #}
{% macro cdc_built_of(names) %}
    {% set built = {} %}
    {% for name in names %}
        {% set relation = cdc_relation_of(name) %}
        {% if relation is not none and load_relation(relation) is not none %}
            {% do built.update({name: relation}) %}
        {% endif %}
    {% endfor %}
    {% do return(built) %}
{% endmacro %}
