{# The metadata names columns without case, a value is found by the very name: take the table's own spelling. #}
{% macro cdc_explain_config(node, names) %}
    {% set cdc = dict(node.config.meta.cdc) %}
    {% set spelling = dict(zip(names | map('lower'), names)) %}
    {% set primary_key = [] %}
    {% for name in cdc_key_columns(cdc) %}
        {% do primary_key.append(spelling.get(name | lower, name)) %}
    {% endfor %}
    {% do cdc.update({'primary_key': primary_key}) %}
    {% do return(cdc) %}
{% endmacro %}
