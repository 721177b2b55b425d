{# Completes reloads that wait: the next run of silver removes what they do not hold. #}
{% macro cdc_release_reloads_sql(bronze, columns, generations, batch_id, words) -%}
{%- set values = {
    '_cdc_batch_id': 'cast(' ~ batch_id ~ ' as bigint)',
    '_cdc_ingested_at': 'current_timestamp()',
    '_cdc_quarantine_rule': 'cast(null as string)',
    '_cdc_quarantine_reason':
        'concat(' ~ adapter.string_literal('released: ' ~ words) ~ ", ': ', _cdc_quarantine_reason)",
    '_cdc_quarantine_content': 'cast(null as string)',
} -%}
insert into {{ bronze }} ({{ get_quoted_csv(columns) }})
select
    {%- for column in columns %}
    {{ values.get(column, adapter.quote(column)) }} as {{ adapter.quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ bronze }}
where
    _cdc_quarantine_rule = 'incomplete_reload'
    and _cdc_generation in ({{ generations | join(', ') }})
{%- endmacro %}
