{#
    What silver_checks records of each silver table. A table is due for a full comparison after a half to all of
    cdc_compare_days, another part for each: so they do not all come due in one run.
#}
{% macro cdc_checked_tables_sql(checked) -%}
select
    *,
    unix_micros(current_timestamp()) - unix_micros(compared_at)
        >= {{ var('cdc_compare_days') }} * 86400e6
            * (0.5 + pmod(hash(silver_table, compared_at), 1000) / 2000) as is_due
from {{ checked }}
{%- endmacro %}
