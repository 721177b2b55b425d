{# The rows that a run adds in place of those that it removes. #}
{% macro cdc_gold_new_rows_sql(plan) -%}
{%- if plan.way == 'full' -%}
    {%- set rows_sql = cdc_gold_query_sql(plan.movements, plan.query_sql) -%}
{%- else -%}
    {%- set rows_sql = cdc_gold_rows_sql(plan.model, plan.movements, plan.query_sql, plan.keys) -%}
{%- endif -%}
{%- if plan.frozen is none -%}
    {{ rows_sql }}
{%- else -%}
select *
from (
    {{ rows_sql | indent(4) }}
) as _cdc_query
where {{ cdc_gold_thawed_sql(plan.frozen, plan.model.settings.key, '_cdc_query') }}
{%- endif -%}
{%- endmacro %}
