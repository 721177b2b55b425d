{#
    The day of the run in UTC, a literal for gold models; the comment marks it, so that the query of another day is
    known as the same (python_udfs/gold/day.py).
#}
{% macro gold_today() -%}
date '{{ run_started_at.strftime('%Y-%m-%d') }}' /* gold_today */
{%- endmacro %}
