{#
    The source position of a change (generation, load before changes, position), and what orders rows of one source
    position: file, row, and newer content of an overwritten file above its older content. cdc_sequence_part knows the
    widths.
#}
{% macro cdc_sequence_sql(position_sql) -%}
concat_ws(
    '.',
    lpad(_cdc_generation, 6, '0'),
    {{ position_sql | indent(4) }},
    _cdc_file_hash,
    lpad(_cdc_row, 12, '0'),
    _cdc_modified_millis
)
{%- endmacro %}
