{#
    The history computed again, key by key: all changes of a key in one array, in order, and one fold over it. The model
    uses windows, and continues from silver's versions. All of it, or one step: the keys with changes since a snapshot.
#}
{% macro cdc_history_difference_sql(cdc, silver, bronze, snapshot_id, plan, step=none) -%}
{%- set names = plan | map(attribute='name') | list -%}
{%- set columns = names + cdc_history_columns() -%}
{%- set continues = step and step.continues -%}
with {% if step %}{{ cdc_step_rows_sql(cdc, silver, plan, step) }},
{% if continues %}
newest_before as (
    select max_by(struct(*), _cdc_sequence) as stored
    from (
        select
            {%- for column in plan %}
            cast({{ adapter.quote(column.name) }} as {{ column.raw_type }}) as {{ adapter.quote(column.name) }},
            {%- endfor %}
            {{ cdc_history_columns() | join(', ') }}
        from rows_before
    )
    group by {{ cdc_key_list_sql(cdc) }}
),
{% endif %}
{% endif %}{{ cdc_history_lives_sql(cdc, bronze, snapshot_id, plan, step) }},

folded as (
    select aggregate(
        events,
        {{ cdc_history_start_sql(names, continues) | indent(8) }},
        (states, event) -> concat(states, filter(
            array({{ cdc_history_state_sql(names, 'try_element_at(states, -1)') | indent(12) }}),
            {%- if cdc.unchanged_rows == 'write' %}
            state -> state.image is not null or try_element_at(states, -1).image is not null
            {%- else %}
            state -> not state.image <=> try_element_at(states, -1).image
            {%- endif %}
        ))
    ) as states
    from lives
    {%- if continues %}
    left join newest_before on {{ cdc_same_key_sql(cdc, 'lives.events[0].image', 'newest_before.stored') }}
    {%- endif %}
    where not exists(events, event -> coalesce(event.operation not in ('I', 'L', 'U', 'D'), true))
),

versions as (
    select inline(transform(states, (state, position) -> struct(state, get(states, position + 1).at as valid_to)))
    from folded
),

expected as (
    select
        {%- for name in names %}
        state.image.{{ adapter.quote(name) }} as {{ adapter.quote(name) }},
        {%- endfor %}
        state.at as _cdc_valid_from,
        valid_to as _cdc_valid_to,
        state.operation as _cdc_operation,
        state.committed_at as _cdc_committed_at,
        state.sequence as _cdc_sequence,
        state.generation as _cdc_generation,
        state.batch_id as _cdc_batch_id
    from versions
    where state.image is not null
    {%- if continues %}
    union all
    select {{ get_quoted_csv(columns) }}
    from rows_before
    left anti join newest_before
        on {{ cdc_same_key_sql(cdc, 'rows_before', 'newest_before.stored') }}
        and rows_before._cdc_sequence = newest_before.stored._cdc_sequence
    {%- endif %}
),

{{ cdc_step_compared_sql(columns, step) if step else cdc_compared_sql(silver, columns) }}
{%- endmacro %}
