{#
    What orders messages of one source position: their offset in the topic, then hashes of the topic's partition and of
    the file (record 64). The letter is in no hash: a message without an offset is ordered as a row of a file is.
#}
{% macro cdc_message_place_sql() -%}
if(
    _cdc_offset is null,
    concat_ws('.', _cdc_file_hash, lpad(_cdc_row, 12, '0')),
    concat(
        'o', lpad(_cdc_offset, 15, '0'), '.',
        left(lpad(lower(hex(xxhash64(_cdc_partition))), 16, '0'), 6), left(_cdc_file_hash, 6)
    )
)
{%- endmacro %}
