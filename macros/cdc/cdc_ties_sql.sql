{#
    How many keys have different changes at one place, in objects without an order among themselves. Each counts in the
    run that brought the last of them.
#}
{% macro cdc_ties_sql(cdc, log_sql, places, plan, after_batch_id) -%}
with log as (
    {{ log_sql | indent(4) }}
),

tied as (
    select substring(_cdc_sequence, 1, 29) as place
    from log
    where substring(_cdc_sequence, 1, 29) in (
        {%- for place in places %}{{ cdc_string_sql(place) }}{{ ', ' if not loop.last }}{% endfor -%}
    )
    group by {{ cdc_key_list_sql(cdc) }}, substring(_cdc_sequence, 1, 29)
    having
        max(_cdc_batch_id) > {{ after_batch_id }}
        and count(distinct substring(_cdc_sequence, 31, 16)) > 1
        and count(distinct struct(
            _cdc_operation
            {%- for column in plan if column.raw_type is not none %},
            {{ cdc_quote(column.name) }}
            {%- endfor %}
        )) > 1
)

select count(*) as ties
from tied
{%- endmacro %}
