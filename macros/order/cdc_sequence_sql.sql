{#
    The source position of a change (generation, load before changes, position), and what orders rows of one source
    position: file and row, or of a message its offset (cdc_message_place_sql), and newer content of an overwritten file
    above its older content. cdc_sequence_part knows the widths.
#}
{% macro cdc_sequence_sql(position_sql, place_sql=none) -%}
concat_ws(
    '.',
    lpad(_cdc_generation, 6, '0'),
    {{ position_sql | indent(4) }},
    {{ (place_sql or "_cdc_file_hash,\nlpad(_cdc_row, 12, '0')") | indent(4) }},
    _cdc_modified_millis
)
{%- endmacro %}
