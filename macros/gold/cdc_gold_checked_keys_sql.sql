{# The keys that a step compares: those that changed since the last comparison, and one in 64 of the others. #}
{% macro cdc_gold_checked_keys_sql(plan, gold) -%}
{%- set key = plan.model.settings.key -%}
{%- set input = {'key': key} -%}
{{ cdc_gold_compared_sql(input, gold, plan.movements[0].before_id, plan.after_id, plan.exact + plan.floats) }}
union
select {{ get_quoted_csv(key) }}
from {{ gold }} version as of {{ plan.after_id }}
where pmod(hash({{ get_quoted_csv(key) }}, {{ plan.after_id }}), 64) = 0
{%- endmacro %}
