{# The newest batch of the listing that has objects of each table. #}
{% macro cdc_newest_batches_sql(listing) -%}
select
    feed,
    source_schema,
    source_table,
    max(batch_id) as batch_id
from {{ listing }}
where kind in ('load', 'change', 'truncate')
group by feed, source_schema, source_table
{%- endmacro %}
