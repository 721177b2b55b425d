{# The hash of the object in a sequence: behind the place come 45 characters, of which 16 are of the object. #}
{% macro cdc_object_sql() -%}
substring(_cdc_sequence, -44, 16)
{%- endmacro %}
