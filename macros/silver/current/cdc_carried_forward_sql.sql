{#
    Changes with every value that is known from the changes before: a value that a change does not carry is carried forward
    from the change before it, as far back as the row lived. A value that is still unknown then is silver's, if the row was
    alive there; the names of these columns stay in _cdc_unavailable_columns, and _cdc_epoch is the last reset point before,
    which no value outlives (docs/architecture.md, The life of one row).
#}
{% macro cdc_carried_forward_sql(cdc, plan, changes) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set present = plan | rejectattr('raw_type', 'none') | map(attribute='name') | list -%}
{%- set of_key = 'partition by ' ~ cdc_key_list_sql(cdc) ~ ' order by ' ~ cdc_row_order_sql() -%}
dated as (
    select
        *,
        {%- if changes.reset_points %}
        coalesce(array_max(filter(
            array({% for reset_point in changes.reset_points %}{{ adapter.string_literal(reset_point) }}{{ ', ' if not loop.last }}{% endfor %}),
            reset_point -> reset_point <= _cdc_sequence
        )), '') as _cdc_epoch
        {%- else %}
        '' as _cdc_epoch
        {%- endif %}
    from changes
),

begun as (
    select
        *,
        coalesce(
            _cdc_operation in ('I', 'L')
            or lag(_cdc_operation) over ({{ of_key }}) = 'D'
            or lag(_cdc_epoch) over ({{ of_key }}) <> _cdc_epoch,
            false
        ) as _cdc_begins
    from dated
),

lives as (
    select
        *,
        count_if(_cdc_begins) over ({{ of_key }}) as _cdc_life
    from begun
),

known as (
    select
        *,
        {%- for name in present if name | lower not in keys %}
        last_value(
            if(_cdc_operation <> 'D' and array_contains(_cdc_unavailable_columns, {{ adapter.string_literal(name) }}) is not true, struct({{ adapter.quote(name) }} as value), null)
        ) ignore nulls over (partition by {{ cdc_key_list_sql(cdc) }}, _cdc_life order by {{ cdc_row_order_sql() }}) as _cdc_known_{{ loop.index }},
        {%- endfor %}
        _cdc_life = 0 and not _cdc_is_whole as _cdc_continues
    from lives
),

carried_forward as (
    select
        {%- for name in present if name | lower in keys %}
        {{ adapter.quote(name) }},
        {%- endfor %}
        {%- for name in present if name | lower not in keys %}
        _cdc_known_{{ loop.index }}.value as {{ adapter.quote(name) }},
        {%- endfor %}
        _cdc_operation,
        _cdc_committed_at,
        _cdc_sequence,
        _cdc_generation,
        _cdc_batch_id,
        _cdc_epoch,
        if(_cdc_continues, array_compact(array(
            {%- for name in present if name | lower not in keys %}
            if(_cdc_known_{{ loop.index }} is null, {{ adapter.string_literal(name) }}, null){{ ',' if not loop.last }}
            {%- endfor %}
        )), null) as _cdc_unavailable_columns
    from known
)
{%- endmacro %}
