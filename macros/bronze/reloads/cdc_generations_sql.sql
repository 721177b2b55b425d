{# The load generations of a table: the CTEs `changes`, `counted` and `starts`. #}
{% macro cdc_generations_sql(versions, counted) -%}
{{ cdc_change_times_sql(versions) }},

counted as (
    select *
    from {{ counted }}
),

starts as (
    select
        number as generation,
        min(modified_at) as began_at,
        min(batch_id) as batch_id
    from counted
    group by number
)
{%- endmacro %}
