{#
    Whether a row of bronze came out of quarantine. Rows that never were in there have no reason: whole files are left
    out by their statistics, so that asking costs nothing.
#}
{% macro cdc_is_released_sql(alias) -%}
({{ alias }}._cdc_quarantine_rule is null and {{ alias }}._cdc_quarantine_reason is not null)
{%- endmacro %}
