{# How the row stands after an event: its image, none after a delete, and the time since which. #}
{% macro cdc_history_state_sql(names, before) -%}
struct(
    event.sequence as sequence,
    {{ 'greatest(' ~ before ~ '.at, event.at)' if before else 'event.at' }} as at,
    event.at as committed_at,
    event.operation as operation,
    event.generation as generation,
    event.batch_id as batch_id,
    if(event.operation = 'D', null, struct(
        {%- for name in names %}
        if(
            array_contains(event.unavailable, {{ adapter.string_literal(name) }}),
            {{ "if(event.operation = 'U', " ~ before ~ '.image.' ~ adapter.quote(name) ~ ', null)' if before else 'null' }},
            event.image.{{ adapter.quote(name) }}
        ) as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )) as image
)
{%- endmacro %}
