{# A change, or a row of silver before or now, as cdc_newest_step_sql groups them. #}
{% macro cdc_step_side_sql(key_sql, image_sql='null', sequence='null', operation='null', rows_before=0, rows_now=0) -%}
select
    {{ key_sql }} as key,
    {{ sequence }} as sequence,
    {{ operation }} as operation,
    {{ image_sql }} as image,
    {{ rows_before }} as rows_before,
    {{ rows_now }} as rows_now
{%- endmacro %}
