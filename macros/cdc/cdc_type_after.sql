{# The type that a column has after the files of a batch, one by one: each may promote the type that it finds. #}
{% macro cdc_type_after(type, column, policy) %}
    {% set found = namespace(type=type) %}
    {% set types = column.get('types', [column.type] if column else []) %}
    {% for of_file in types if policy == 'evolve' and cdc_is_promotion(found.type, of_file) %}
        {% set found.type = of_file %}
    {% endfor %}
    {% do return(found.type) %}
{% endmacro %}
