{# Guards against rows of which the key was changed at the source, without before images: the old row would stay. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{%- set tables = cdc_tables_with_unknown_keys() if cdc_is_test() else [] %}
{%- if tables %}
{%- set queries = [] %}
{%- for table in tables %}{% do queries.append(cdc_unknown_updates_sql([table])) %}{% endfor %}
{{ cdc_asked_sql(tables | map(attribute='cdc') | list, queries) }}
{%- endif %}
