{# Rows of a split table that are of one source table and of the batches after one, up to another. #}
{% macro cdc_in_batches_sql(cdc, after_batch_id, last_batch_id=none) -%}
source_schema = {{ adapter.string_literal(cdc.source_schema) }}
and source_table = {{ adapter.string_literal(cdc.source_table) }}
and batch_id > {{ after_batch_id }}
{%- if last_batch_id is not none %}
and batch_id <= {{ last_batch_id }}
{%- endif %}
{%- endmacro %}
