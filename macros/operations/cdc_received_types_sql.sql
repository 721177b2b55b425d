{#
    The types in which quarantined values of parquet files came, from the sentences of cdc_cast_failures_sql and
    cdc_schema_drift_sql: the files may be gone.
#}
{% macro cdc_received_types_sql(cdc, bronze) -%}
{%- set type = '([a-z][a-z0-9_(),<>:]*)' -%}
{%- set value = adapter.string_literal("(?s)(?:^|; )([^']+?) is '.*?'(?: of type " ~ type ~ ')?, expected ') -%}
{%- set drift = adapter.string_literal('(?:^|; )column ([^;]+?) is ' ~ type ~ ', expected ') -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
),

sentences as (
    select
        bad._cdc_quarantine_reason as reason,
        if(bad._cdc_quarantine_rule = 'schema_drift', {{ drift }}, {{ value }}) as pattern
    from waiting
    where bad._cdc_quarantine_rule in ('uncastable_value', 'schema_drift')
)

select distinct
    name,
    nullif(get(regexp_extract_all(reason, pattern, 2), number), '') as type
from sentences
lateral view posexplode(regexp_extract_all(reason, pattern, 1)) as number, name
order by name, type
{%- endmacro %}
