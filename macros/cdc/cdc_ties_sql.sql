{#
    How many keys have different changes at one place, in objects without an order among themselves. Each counts in the
    run that brought the last of them. Behind the place come 45 characters, of which 16 are of the object.
#}
{% macro cdc_ties_sql(cdc, log_sql, places, plan, after_batch_id) -%}
with log as (
    {{ log_sql | indent(4) }}
),

tied as (
    select left(_cdc_sequence, length(_cdc_sequence) - 45) as place
    from log
    where left(_cdc_sequence, length(_cdc_sequence) - 45) in (
        {%- for place in places %}{{ cdc_string_sql(place) }}{{ ', ' if not loop.last }}{% endfor -%}
    )
    group by {{ cdc_key_list_sql(cdc) }}, left(_cdc_sequence, length(_cdc_sequence) - 45)
    having
        max(_cdc_batch_id) > {{ after_batch_id }}
        and count(distinct substring(_cdc_sequence, -44, 16)) > 1
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
