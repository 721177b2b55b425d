{# A table of silver before any row has come: its columns, of which the list has those that differ between tables. #}
{% macro cdc_silver_empty_sql(columns, bronze) -%}
select
    {{ columns | join(',\n    ') }},
    _cdc_operation,
    _cdc_committed_at,
    _cdc_sequence,
    _cdc_generation,
    _cdc_batch_id
from {{ bronze }}
where false
{%- endmacro %}
