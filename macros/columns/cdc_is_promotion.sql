{# What Iceberg can change in place without rewriting data: int to bigint, float to double, a decimal to more digits. #}
{% macro cdc_is_promotion(from_type, to_type) %}
    {% if [from_type, to_type] in [['int', 'bigint'], ['float', 'double']] %}
        {% do return(true) %}
    {% elif from_type.startswith('decimal(') and to_type.startswith('decimal(') %}
        {% set from_digits = from_type[8:-1].split(',') | map('int') | list %}
        {% set to_digits = to_type[8:-1].split(',') | map('int') | list %}
        {% do return(from_digits[1] == to_digits[1] and to_digits[0] > from_digits[0]) %}
    {% endif %}
    {% do return(false) %}
{% endmacro %}
