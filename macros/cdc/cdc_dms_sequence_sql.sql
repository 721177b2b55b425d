{#
    The place, and what orders rows of one place: object, row, and newer content of an overwritten object above its
    older content.
#}
{% macro cdc_dms_sequence_sql() -%}
concat_ws(
    '.',
    {{ cdc_dms_place_sql('_cdc_') | indent(4) }},
    lpad(lower(hex(xxhash64(_cdc_object_key))), 16, '0'),
    lpad(_cdc_row, 12, '0'),
    lpad(unix_millis(_cdc_modified_at), 14, '0')
)
{%- endmacro %}
