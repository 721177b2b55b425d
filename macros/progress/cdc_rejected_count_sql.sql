{# How many rows rejected_files has of the files of a table: bronze records it with each batch that rejects files. #}
{% macro cdc_rejected_count_sql(cdc, rejected) -%}
select count(*) as row_count
from {{ rejected }}
where
    feed = {{ adapter.string_literal(cdc.feed) }}
    and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and source_table = {{ adapter.string_literal(cdc.source_table) }}
{%- endmacro %}
