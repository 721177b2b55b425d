{# The messages of split tables that a condition names, one row for each table, with their facts. #}
{% macro cdc_new_messages_sql(split, keys, where) -%}
select
    source_schema,
    source_table,
    max(batch_id) as batch_id,
    {{ cdc_message_facts_sql(keys) | indent(4) }}
from {{ split }}
where
    {{ where | indent(4) }}
group by source_schema, source_table
{%- endmacro %}
