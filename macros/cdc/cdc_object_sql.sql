{# The hash of the object in a sequence: what follows the place is 45 characters, of which the object has the first 16. #}
{% macro cdc_object_sql() -%}
substring(_cdc_sequence, -44, 16)
{%- endmacro %}
