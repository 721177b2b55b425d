{% macro cdc_is_before_image(cdc, name) %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% do return(prefix is not none and (name | lower).startswith(prefix | lower)) %}
{% endmacro %}
