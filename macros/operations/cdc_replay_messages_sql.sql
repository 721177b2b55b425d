{# The messages that wait, of the view that has them parsed again, as those of the split table are read. #}
{% macro cdc_replay_messages_sql(cdc, bronze, batch_id) -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
),

messages as (
    {{ cdc_messages_sql(adapter.quote(bronze.identifier ~ '__parsed'), cdc, 0) | indent(4) }}
)

select
    messages.{{ (cdc_message_columns() + ['image', 'before', 'unavailable']) | join(',\n    messages.') }},
    waiting.bad._cdc_generation as generation,
    cast({{ batch_id }} as bigint) as batch_id
from messages
inner join waiting
    on
        messages.file_key = waiting.bad._cdc_source_file
        and messages.file_row = waiting.bad._cdc_file_row
        and messages.batch_id = waiting.bad._cdc_batch_id
{%- endmacro %}
