{# How the row stands after an event: its image, none after a delete, and the time since which. #}
{% macro cdc_history_state_sql(comparison) -%}
struct(
    event.sequence as sequence,
    greatest(try_element_at(states, -1).at, event.at) as at,
    event.at as committed_at,
    event.operation as operation,
    event.generation as generation,
    event.batch_id as batch_id,
    if(event.operation = 'D', null, struct(
        {{ comparison.image_after | join(',\n        ') }}
    )) as image
)
{%- endmacro %}
