{#
    The history computed again, key by key: all changes of a key in one array, in order, and one fold over it. The model
    uses windows, and continues from silver's versions. All of it, or one step: the keys with changes since a snapshot.
#}
{% macro cdc_history_difference_sql(comparison) -%}
{%- set cdc, columns = comparison.cdc, get_quoted_csv(comparison.compared) -%}
with {{ cdc_step_rows_sql(comparison) ~ ',\n' if comparison.step }}
{%- if comparison.continues %}

newest_before as (
    select max_by(struct(*), _cdc_sequence) as stored
    from rows_before
    group by {{ cdc_key_list_sql(cdc) }}
),
{% endif %}
{{ cdc_history_lives_sql(comparison) }},

folded as (
    select aggregate(
        events,
        {{ cdc_history_start_sql(comparison) | indent(8) }},
        (states, event) -> concat(states, filter(
            array({{ cdc_history_state_sql(comparison) | indent(12) }}),
            state -> {{ comparison.is_version }}
        ))
    ) as states
    from lives
    {{ 'left join newest_before on ' ~ cdc_same_key_sql(cdc, 'lives.events[0].image', 'newest_before.stored')
        if comparison.continues }}
    where not exists(events, event -> coalesce(event.operation not in ('I', 'L', 'U', 'D'), true))
),

versions as (
    select inline(transform(states, (state, position) -> struct(state, get(states, position + 1).at as valid_to)))
    from folded
),

expected as (
    select
        {{ comparison.expected | join(',\n        ') }},
        state.at as _cdc_valid_from,
        valid_to as _cdc_valid_to,
        state.operation as _cdc_operation,
        state.committed_at as _cdc_committed_at,
        state.sequence as _cdc_sequence,
        state.generation as _cdc_generation,
        state.batch_id as _cdc_batch_id
    from versions
    where state.image is not null
    {%- if comparison.continues %}
    union all
    select {{ columns }}
    from rows_before
    left anti join newest_before
        on {{ cdc_same_key_sql(cdc, 'rows_before', 'newest_before.stored') }}
        and rows_before._cdc_sequence = newest_before.stored._cdc_sequence
    {%- endif %}
),

{{ cdc_step_compared_sql(comparison) if comparison.step else cdc_compared_sql(comparison.silver, comparison.compared) }}
{%- endmacro %}
