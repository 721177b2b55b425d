{# Rows in quarantine are kept and counted; somebody has to look at them. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('quarantine') }}
{%- set tables = cdc_data_tests().list_quarantined() if cdc_is_test() else [] %}
{%- if tables %}
select
    feed,
    source_schema,
    source_table,
    rule,
    min(reason) as example,
    count(*) as row_count
from {{ ref('quarantine') }}
where
    status = 'waiting'
    and (
        {%- for table in tables %}
        (
            feed = {{ adapter.string_literal(table.feed) }}
            and source_schema = {{ adapter.string_literal(table.source_schema) }}
            and source_table = {{ adapter.string_literal(table.source_table) }}
        )
        {{- ' or' if not loop.last }}
        {%- endfor %}
    )
group by feed, source_schema, source_table, rule
order by max(batch_id) desc
{%- endif %}
