{# The reloads that wait although bronze has each row of their loads. #}
{% macro cdc_whole_reloads_sql(bronze) -%}
with held as (
    {{ cdc_held_reloads_sql(bronze) | indent(4) }}
),

loads as (
    {{ cdc_waiting_loads_sql(bronze) | indent(4) }}
)

select held.generation
from held
left anti join loads on held.generation = loads.generation
where held.unread is null
{%- endmacro %}
