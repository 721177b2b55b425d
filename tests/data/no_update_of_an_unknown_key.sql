{# Guards against rows of which the key was changed at the source, without before images: the old row would stay. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{%- set tables = cdc_tables_with_unknown_keys() if cdc_is_test() else [] %}
{%- if tables %}
{{ cdc_unknown_updates_sql(tables) }}
{%- endif %}
