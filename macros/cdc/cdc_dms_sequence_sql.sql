{#
    docs/contracts.md section 6.1, DMS without a change sequence: generation, load before changes, file time,
    object, row. The last part puts newer content of an overwritten object above its older content.
#}
{% macro cdc_dms_sequence_sql() -%}
concat_ws(
    '.',
    lpad(_cdc_generation, 6, '0'),
    if(_cdc_kind = 'load', '0', '1'),
    if(_cdc_kind = 'load', repeat('0', 20), date_format(_cdc_file_time, 'yyyyMMddHHmmssSSSSSS')),
    lpad(lower(hex(xxhash64(_cdc_object_key))), 16, '0'),
    lpad(_cdc_row, 12, '0'),
    lpad(unix_millis(_cdc_modified_at), 14, '0')
)
{%- endmacro %}
