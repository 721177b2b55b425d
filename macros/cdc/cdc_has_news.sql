{% macro cdc_has_news() %}
    {% do return('-- nothing new: ' not in model.compiled_code) %}
{% endmacro %}
