{#
    Changes with every value that is known from the changes before: a value that a change does not carry is carried
    forward from the change before it, as far back as the row lived. A value that is still unknown then is silver's, if
    the row was alive there; the names of these columns stay in _cdc_unavailable_columns, and _cdc_epoch is the last
    reset point before, which no value outlives (docs/architecture.md, The life of one row).
#}
{% macro cdc_carried_forward_sql(cdc, plan, changes) -%}
{%- set columns = adapter.call_function('python_udfs.pipeline.silver_rows.plan_carried', {
    'warehouse': adapter, 'cdc': cdc, 'changes': changes, 'columns': plan,
}) -%}
{%- set of_key = 'partition by ' ~ cdc_key_list_sql(cdc) ~ ' order by ' ~ cdc_row_order_sql() -%}
dated as (
    select
        *,
        coalesce(array_max(filter(
            cast(array({{ columns.reset_points | join(', ') }}) as array<string>),
            reset_point -> reset_point <= _cdc_sequence
        )), '') as _cdc_epoch
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
        {%- for value in columns.values %}
        last_value({{ value }}) ignore nulls over life as _cdc_known_{{ loop.index }},
        {%- endfor %}
        _cdc_life = 0 and not _cdc_is_whole as _cdc_continues
    from lives
    window life as (partition by {{ cdc_key_list_sql(cdc) }}, _cdc_life order by {{ cdc_row_order_sql() }})
),

carried_forward as (
    select
        {%- for key in columns.keys %}
        {{ key }},
        {%- endfor %}
        {%- for name in columns.names %}
        _cdc_known_{{ loop.index }}.value as {{ name }},
        {%- endfor %}
        _cdc_operation,
        _cdc_committed_at,
        _cdc_sequence,
        _cdc_generation,
        _cdc_batch_id,
        _cdc_epoch,
        if(_cdc_continues, array_compact(array(
            {%- for name in columns.literals %}
            if(_cdc_known_{{ loop.index }} is null, {{ name }}, null){{ ',' if not loop.last }}
            {%- endfor %}
        )), null) as _cdc_unavailable_columns
    from known
)
{%- endmacro %}
