{#
    What the source says about the order of a change: generation, load before changes, and the change sequence where the
    change has one, else the time of its file (docs/contracts.md section 6.1). Both begin with a time in UTC. The files
    of one file time have no order among themselves. The listing knows no generation: there the source position begins without.
#}
{% macro cdc_dms_position_sql(prefix='', change_sequence=none, has_generation=true) -%}
{%- set file_time = "date_format(" ~ prefix ~ "file_time, 'yyyyMMddHHmmssSSSSSS')" -%}
concat_ws(
    '.',
    {%- if has_generation %}
    lpad({{ prefix }}generation, 6, '0'),
    {%- endif %}
    if({{ prefix }}kind = 'load', '0', '1'),
    {%- if change_sequence %}
    case
        when {{ prefix }}kind = 'load' then repeat('0', 20)
        when {{ cdc_is_change_sequence_sql(change_sequence) }} then {{ change_sequence }}
        else {{ file_time }}
    end
    {%- else %}
    if({{ prefix }}kind = 'load', repeat('0', 20), {{ file_time }})
    {%- endif %}
)
{%- endmacro %}
