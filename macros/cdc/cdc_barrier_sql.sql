{#
    Where a row of bronze ends what was before: a truncate at its own place, a load at its generation, complete once a
    row of it that no load wrote has come.
#}
{% macro cdc_barrier_sql() -%}
case
    when _cdc_operation = 'T' then _cdc_sequence
    when _cdc_operation <> 'L' and _cdc_generation > 1 then lpad(_cdc_generation, 6, '0')
end
{%- endmacro %}
