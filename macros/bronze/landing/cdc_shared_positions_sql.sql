{#
    Source positions, without their generation, that more than one file has, one of them in a batch that silver has not
    applied.
#}
{% macro cdc_shared_positions_sql(cdc, listing, after_batch_id, last_batch_id) -%}
{%- set files_sql -%}
select *
from {{ listing }}
where
    feed = {{ adapter.string_literal(cdc.feed) }}
    and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and source_table = {{ adapter.string_literal(cdc.source_table) }}
    and kind in ('load', 'change')
    and batch_id <= {{ last_batch_id }}
{%- endset -%}
with files as (
    {{ cdc_file_position_sql(files_sql) | indent(4) }}
)

select file_position
from files
group by file_position
having count(distinct file_key) > 1 and max(batch_id) > {{ after_batch_id }}
{%- endmacro %}
