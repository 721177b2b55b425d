{% macro cdc_bronze_range_summary_sql(changes_sql) -%}
with changes as (
    {{ changes_sql | indent(4) }}
)

select
    min(_cdc_sequence) as first_sequence,
    max(_cdc_sequence) as last_sequence,
    max(_cdc_batch_id) as last_batch_id,
    max(_cdc_generation) filter (where _cdc_operation <> 'L') as complete_generation,
    date_format(max(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as last_committed_at
from changes
{%- endmacro %}
