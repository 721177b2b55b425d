{# The change sequence and before images stand behind the columns of the source (docs/contracts.md section 1.3). #}
{% macro cdc_is_added(cdc, name) %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% set sequence = cdc.options.get('change_sequence_column') or '' %}
    {% set is_before_image = prefix is not none and (name | lower).startswith(prefix | lower) %}
    {% do return(is_before_image or name | lower == sequence | lower) %}
{% endmacro %}
