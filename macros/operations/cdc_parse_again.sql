{#
    Shows the messages of a table that wait in quarantine, in the columns of the split table. A message that had a mistake is
    parsed with the seeds of now: they may state by now what it lacked.
#}
{% macro cdc_parse_again(cdc, bronze) %}
    {% set waiting = bronze.identifier ~ '__waiting' %}
    {% do run_query(
        'create or replace temporary view ' ~ adapter.quote(waiting) ~ ' as\n' ~ _waiting_messages_sql(cdc, bronze)
    ) %}
    {% set arguments = {
        'seeds': adapter.project_path('seeds'), 'feed': cdc.feed, 'waiting': waiting, 'view': bronze.identifier ~ '__parsed'
    } %}
    {% do adapter.call_function('python_udfs.landing.parse_again.show_parsed', arguments, true) %}
{% endmacro %}


{# A message that was split twice was read twice, and is in quarantine under both batches. #}
{% macro _waiting_messages_sql(cdc, bronze) -%}
with waiting as (
    {{ cdc_waiting_sql(cdc, bronze) | indent(4) }}
)

select messages.*
from {{ ref(cdc.split) }} as messages
inner join waiting
    on
        messages.file_key = waiting.bad._cdc_source_file
        and messages.file_row = waiting.bad._cdc_file_row
        and messages.batch_id = waiting.bad._cdc_batch_id
where
    {{ cdc_in_batches_sql(cdc, 0) | indent(4) }}
{%- endmacro %}
