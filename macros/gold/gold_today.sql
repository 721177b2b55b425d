{# The day of the run in UTC, for a gold model: a literal. Another day computes all rows again (python_udfs/gold/plan.py). #}
{% macro gold_today() -%}
date '{{ run_started_at.strftime('%Y-%m-%d') }}'
{%- endmacro %}
