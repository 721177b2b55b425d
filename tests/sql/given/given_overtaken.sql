{% macro given_overtaken(mode='current') %}
    {% do return(dict(given_table(mode=mode), silver=given_table(mode=mode), has_key=mode == 'current')) %}
{% endmacro %}
