{#
    Gives each change the values that it does not carry: those of the change before it, as far back as the row lived.
    An insert and a delete begin again (docs/architecture.md, The life of one row).
#}
{% macro cdc_history_images_sql(cdc, rows) -%}
lives as (
    select
        *,
        count_if(not _cdc_is_image or _cdc_operation in ('I', 'L')) over (
            partition by {{ cdc_key_list_sql(cdc) }} order by {{ cdc_row_order_sql() }}
        ) as _cdc_life
    from events
),

images as (
    select
        {{ rows.carried | join(',\n        ') }},
        _cdc_operation,
        _cdc_committed_at,
        _cdc_sequence,
        _cdc_generation,
        _cdc_batch_id,
        _cdc_is_image,
        _cdc_is_stored,
        _cdc_at
    from lives
    window life as (partition by {{ cdc_key_list_sql(cdc) }}, _cdc_life order by {{ cdc_row_order_sql() }})
)
{%- endmacro %}
