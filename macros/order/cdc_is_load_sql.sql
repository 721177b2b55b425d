{# Whether a row of bronze, good or not, is of a load file: messages of a snapshot have positions of their own. #}
{% macro cdc_is_load_sql(alias) -%}
{{ cdc_sequence_part(alias ~ '._cdc_sequence', 'listed_position') }} = concat('0.', repeat('0', 20))
{%- endmacro %}
