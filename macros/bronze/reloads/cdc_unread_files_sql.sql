{# Whether the table has a file that nobody could read. #}
{% macro cdc_unread_files_sql(cdc, rejected) -%}
select path
from {{ rejected }}
where
    feed = {{ adapter.string_literal(cdc.feed) }}
    and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and source_table = {{ adapter.string_literal(cdc.source_table) }}
    and rule = 'unreadable'
limit 1
{%- endmacro %}
