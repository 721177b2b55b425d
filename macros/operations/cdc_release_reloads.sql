{#
    Completes reloads that wait: each gets a row R that counts, by one commit, and the next run of silver removes what they do
    not hold. The rows are in bronze as if a batch had brought them, so silver stays a function of bronze.
#}
{% macro cdc_release_reloads(bronze, generations, words) %}
    {% set batch_id = cdc_next_batch_id(bronze) %}
    {% set names = adapter.get_columns_in_relation(bronze) | map(attribute='name') | list %}
    {% do adapter.write(bronze, _release_sql(bronze, names, generations, batch_id, words)) %}
{% endmacro %}


{% macro _release_sql(bronze, columns, generations, batch_id, words) -%}
{%- set values = {
    '_cdc_batch_id': 'cast(' ~ batch_id ~ ' as bigint)',
    '_cdc_ingested_at': 'current_timestamp()',
    '_cdc_quarantine_rule': 'cast(null as string)',
    '_cdc_quarantine_reason': 'concat(' ~ adapter.string_literal('released: ' ~ words) ~ ", ': ', _cdc_quarantine_reason)",
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
