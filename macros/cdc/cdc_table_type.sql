{#
    The type Iceberg keeps for a Spark type: it has no 8 and 16 bit integers, no text with a length, and no durations,
    which only files of Spark's own have.
#}
{% macro cdc_table_type(type) %}
    {% set type = type | lower %}
    {% if type in ['tinyint', 'byte', 'smallint', 'short', 'integer'] %}
        {% do return('int') %}
    {% elif type == 'long' %}
        {% do return('bigint') %}
    {% elif type == 'real' %}
        {% do return('float') %}
    {% elif type in ['decimal', 'dec', 'numeric'] %}
        {% do return('decimal(10,0)') %}
    {% elif type.startswith(('varchar', 'char', 'interval')) or type == 'variant' %}
        {% do return('string') %}
    {% endif %}
    {% do return(type.replace(' ', '')) %}
{% endmacro %}
