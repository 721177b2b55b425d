{# The truncates and complete reloads in a part of bronze (docs/contracts.md section 1.10). #}
{% macro cdc_barriers_sql(rows_sql) -%}
select distinct {{ cdc_barrier_sql() | indent(4) }} as barrier
from (
    {{ rows_sql | indent(4) }}
) as changes
where {{ cdc_barrier_sql() | indent(4) }} is not null
{%- endmacro %}
