{# Guards against rows that took another key while a long value did not change: the source did not send it again. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{{ cdc_blocks_nothing() }}
{%- set tables = cdc_tables_with_partial_changes() if cdc_is_test() else [] %}
{%- if tables %}
{%- set queries = [] %}
{%- for table in tables %}{% do queries.append(cdc_lost_values_sql([table])) %}{% endfor %}
{{ cdc_asked_sql(tables | map(attribute='cdc') | list, queries) }}
{%- endif %}
