{#
    The queries of several tables as one. A table that cannot be asked, because a column or a file of it is gone, is a row with
    Spark's reason, and hides nothing of the others. Analysing the query finds it, and reads no row.
#}
{% macro cdc_asked_sql(tables, queries) %}
    {% set whole = queries | join('\nunion all\n') %}
    {% if not _reason_of(whole) %}
        {% do return(whole) %}
    {% endif %}
    {% set asked, problems = [], [] %}
    {% for query in queries %}
        {% set reason = _reason_of(query) %}
        {% if reason %}
            {% do problems.append({'table': tables[loop.index0], 'reason': reason}) %}
        {% else %}
            {% do asked.append(query) %}
        {% endif %}
    {% endfor %}
    {% do return(_with_problems_sql(asked, problems)) %}
{% endmacro %}


{# Why Spark cannot answer a query; none if it can. #}
{% macro _reason_of(query) %}
    {% set error = adapter.attempt('select *\nfrom (\n' ~ query ~ '\n)\nlimit 0').error %}
    {% do return(error.strip().splitlines()[0] if error else none) %}
{% endmacro %}


{% macro _with_problems_sql(asked, problems) -%}
{%- for problem in problems %}
select
    {{ cdc_table_columns_sql(problem.table) | indent(4) }},
    {{ adapter.string_literal('the table cannot be asked: ' ~ problem.reason) }} as finding
{{ 'union all' if asked or not loop.last }}
{%- endfor %}
{%- if asked %}
select
    feed,
    source_schema,
    source_table,
    to_json(struct(*)) as finding
from (
    {{ asked | join('\nunion all\n') | indent(4) }}
)
{%- endif %}
{%- endmacro %}
