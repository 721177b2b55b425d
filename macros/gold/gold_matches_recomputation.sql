{#
    Gold beside its query, at the snapshots that gold's commit names: the keys that changed since the last comparison
    and a sample of the others, or all rows (python_udfs/gold/check.py). Floats are equal to 1e-9 of their size, all
    else exactly. The end of the command reads from the comment what a pass records (cdc_record_checks).
#}
{% test gold_matches_recomputation(model) %}
{{ cdc_blocks_nothing() }}
{%- set plan = cdc_gold_check(model) if cdc_is_test() else none %}
{%- if plan is none or plan.check.depth == 'nothing' %}
select 1 as difference
where false
{%- elif plan.check.depth == 'unknown' %}
select {{ adapter.string_literal(plan.check.reason) }} as difference
{%- else %}
{%- if plan.freeze %}
{%- do log('gold_matches_recomputation of ' ~ model ~ ': ' ~ plan.check.reason, info=true) %}
{%- endif %}
{{ plan.check.comment }}
{{ cdc_gold_difference_sql(plan, model) }}
{%- endif %}
{% endtest %}
