{# The rows that a plan writes to a silver table, or makes it of. #}
{% macro cdc_silver_query(cdc, bronze, plan) %}
    {% set silver = plan.silver if plan.way != 'overwrite' else none %}
    {% if not plan.columns | rejectattr('raw_type', 'none') | list %}
        {% do return(_silver_empty_sql(cdc, bronze, plan.columns)) %}
    {% elif cdc.mode == 'history' %}
        {% do return(cdc_history_sql(cdc, bronze, silver, plan.changes, plan.columns, plan.derives_all)) %}
    {% endif %}
    {% do return(cdc_silver_sql(cdc, plan.changes, plan.columns, silver is none)) %}
{% endmacro %}


{% macro _silver_empty_sql(cdc, bronze, plan) -%}
select
    {%- for column in plan %}
    cast(null as {{ column.type }}) as {{ adapter.quote(column.name) }},
    {%- endfor %}
    {%- if cdc.is_soft %}
    false as _cdc_is_deleted,
    {%- endif %}
    {%- if cdc.mode == 'history' %}
    _cdc_committed_at as _cdc_valid_from,
    _cdc_committed_at as _cdc_valid_to,
    {%- endif %}
    {%- if cdc.mode == 'append' %}
    _cdc_source_file,
    _cdc_file_row,
    {%- endif %}
    _cdc_operation,
    _cdc_committed_at,
    _cdc_sequence,
    _cdc_generation,
    _cdc_batch_id
from {{ bronze }}
where false
{%- endmacro %}
