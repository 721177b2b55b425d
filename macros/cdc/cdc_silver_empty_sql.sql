{% macro cdc_silver_empty_sql(bronze, plan, is_soft) -%}
select
    {%- for column in plan %}
    cast(null as {{ column.type }}) as {{ cdc_quote(column.name) }},
    {%- endfor %}
    {%- if is_soft %}
    false as _cdc_is_deleted,
    {%- endif %}
    _cdc_operation,
    _cdc_committed_at,
    _cdc_sequence,
    _cdc_generation,
    _cdc_batch_id
from {{ bronze }}
where false
{%- endmacro %}
