{#
    The states of a key before its first event: none, of the type that a state has, or the newest version that silver
    has of it and, if that has ended, its end.
#}
{% macro cdc_history_start_sql(comparison) -%}
{%- if not comparison.continues -%}
filter(
    transform(events, event -> struct(
        event.sequence as sequence,
        event.at as at,
        event.at as committed_at,
        event.operation as operation,
        event.generation as generation,
        event.batch_id as batch_id,
        event.image as image
    )),
    state -> false
)
{%- else -%}
filter(
    transform(array(stored._cdc_valid_from, stored._cdc_valid_to), (at, position) -> struct(
        stored._cdc_sequence as sequence,
        at as at,
        stored._cdc_committed_at as committed_at,
        stored._cdc_operation as operation,
        stored._cdc_generation as generation,
        stored._cdc_batch_id as batch_id,
        if(position = 0, struct({{ comparison.image_before | join(', ') }}), null) as image
    )),
    state -> state.at is not null
)
{%- endif -%}
{%- endmacro %}
