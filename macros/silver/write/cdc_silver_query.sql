{# The rows to write to a silver table, or to make it of where there is none yet, the way that its mode wants. #}
{% macro cdc_silver_query(cdc, bronze, silver, changes, plan) %}
    {% if not plan | rejectattr('raw_type', 'none') | list %}
        {% do return(_silver_empty_sql(cdc, bronze, plan)) %}
    {% elif cdc.mode == 'history' %}
        {% do return(cdc_history(cdc, bronze, silver, changes, plan)) %}
    {% endif %}
    {% do return(cdc_silver_sql(cdc, changes, plan, silver is none)) %}
{% endmacro %}


{% macro _silver_empty_sql(cdc, bronze, plan) -%}
select
    {%- for column in plan %}
    cast(null as {{ column.type }}) as {{ adapter.quote(column.name) }},
    {%- endfor %}
    {%- if cdc_is_soft(cdc) %}
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
