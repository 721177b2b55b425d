{#
    Where a row of bronze ends what was before: a truncate at its own source position, the row that says that a reload is complete
    at the beginning of its generation.
#}
{% macro cdc_reset_point_sql() -%}
case _cdc_operation
    when 'T' then _cdc_sequence
    when 'R' then lpad(_cdc_generation, 6, '0')
end
{%- endmacro %}
