{#
    docs/contracts.md section 6.1, DMS without a change sequence: generation, load before changes, file time, object, row. The
    last part puts newer content of an overwritten object above its older content.
#}
{% macro cdc_dms_sequence_sql() -%}
concat_ws(
    '.',
    lpad(_generation, 6, '0'),
    if(_kind = 'load', '0', '1'),
    if(_kind = 'load', repeat('0', 20), date_format(_file_time, 'yyyyMMddHHmmssSSSSSS')),
    lpad(lower(hex(xxhash64(_object_key))), 16, '0'),
    lpad(_row, 12, '0'),
    lpad(unix_millis(_modified_at), 14, '0')
)
{%- endmacro %}
