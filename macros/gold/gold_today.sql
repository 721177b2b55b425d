{# The day of the run in UTC, a literal for gold models. Another day computes all rows (python_udfs/gold/plan.py). #}
{% macro gold_today() -%}
date '{{ run_started_at.strftime('%Y-%m-%d') }}'
{%- endmacro %}
