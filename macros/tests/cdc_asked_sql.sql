{# The queries of several tables as one. A table that cannot be asked is a row with Spark's reason. #}
{% macro cdc_asked_sql(questions) -%}
{%- if not questions.problems -%}
{{ questions.queries | join('\nunion all\n') }}
{%- else -%}
{%- for problem in questions.problems %}
select
    {{ cdc_table_columns_sql(problem.cdc) | indent(4) }},
    {{ adapter.string_literal('the table cannot be asked: ' ~ problem.reason) }} as finding
{{ 'union all' if questions.queries or not loop.last }}
{%- endfor %}
{%- if questions.queries %}
select
    feed,
    source_schema,
    source_table,
    to_json(struct(*)) as finding
from (
    {{ questions.queries | join('\nunion all\n') | indent(4) }}
)
{%- endif %}
{%- endif %}
{%- endmacro %}
