{#
    What the source says about the order of a change: generation, load before changes, file time (docs/contracts.md
    section 6.1, DMS without a change sequence). The objects of one place have no order among themselves.
#}
{% macro cdc_dms_place_sql(prefix='') -%}
concat_ws(
    '.',
    lpad({{ prefix }}generation, 6, '0'),
    if({{ prefix }}kind = 'load', '0', '1'),
    if({{ prefix }}kind = 'load', repeat('0', 20), date_format({{ prefix }}file_time, 'yyyyMMddHHmmssSSSSSS'))
)
{%- endmacro %}
