{#
    The messages of a table that wait in quarantine, as the split table has them. A message that was split twice was
    read twice, and is in quarantine under both batches.
#}
{% macro cdc_waiting_messages_sql(cdc, bronze, split) -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
)

select messages.*
from {{ split }} as messages
inner join waiting
    on
        messages.file_key = waiting.bad._cdc_source_file
        and messages.file_row = waiting.bad._cdc_file_row
        and messages.batch_id = waiting.bad._cdc_batch_id
where
    {{ cdc_in_batches_sql(cdc, 0) | indent(4) }}
{%- endmacro %}
