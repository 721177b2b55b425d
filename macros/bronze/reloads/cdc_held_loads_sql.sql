{# The newest version of each load file that a table has read, or rejected for its content. #}
{% macro cdc_held_loads_sql(cdc, listing, rejected, after_batch_id) -%}
held as (
    select
        loads.file_key,
        max(loads.modified_at) as modified_at
    from {{ listing }} as loads
    left anti join {{ rejected }} as unread
        on
            loads.path = unread.path
            and loads.size = unread.size
            and loads.modified_at = unread.modified_at
            and unread.rule = 'unreadable'
    where
        loads.kind = 'load'
        and loads.feed = {{ adapter.string_literal(cdc.feed) }}
        and loads.source_schema = {{ adapter.string_literal(cdc.source_schema) }}
        and loads.source_table = {{ adapter.string_literal(cdc.source_table) }}
        and loads.batch_id <= {{ after_batch_id }}
    group by loads.file_key
)
{%- endmacro %}
