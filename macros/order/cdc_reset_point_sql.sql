{#
    Where a row of bronze ends what was before: a truncate at its own source position, a complete reload at the
    beginning of its generation.
#}
{% macro cdc_reset_point_sql() -%}
case _cdc_operation
    when 'T' then _cdc_sequence
    when 'R' then {{ cdc_sequence_part('_cdc_sequence', 'generation') }}
end
{%- endmacro %}
