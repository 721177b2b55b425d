{#
    The place of a change as its source tells it, and what orders rows of one source position: file, row, and newer
    content of an overwritten file above its older content. What follows the place is 45 characters long.
#}
{% macro cdc_sequence_sql(place_sql) -%}
concat_ws(
    '.',
    {{ place_sql | indent(4) }},
    _cdc_object,
    lpad(_cdc_row, 12, '0'),
    _cdc_version
)
{%- endmacro %}
