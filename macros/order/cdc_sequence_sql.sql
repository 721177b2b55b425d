{#
    The source position of a change, and what orders rows of one source position: file, row, and newer
    content of an overwritten file above its older content. What follows the source position is 45 characters long.
#}
{% macro cdc_sequence_sql(place_sql) -%}
concat_ws(
    '.',
    {{ place_sql | indent(4) }},
    _cdc_file_hash,
    lpad(_cdc_row, 12, '0'),
    _cdc_modified_millis
)
{%- endmacro %}
