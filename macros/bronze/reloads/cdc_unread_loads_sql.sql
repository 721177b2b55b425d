{#
    The load files of each generation that nobody could read, with no change between them and the load, and that have
    not come again since.
#}
{% macro cdc_unread_loads_sql(versions) -%}
unread as (
    select
        member.generation,
        failed.file_key,
        max(failed.modified_at) as modified_at
    from {{ versions }} as failed
    inner join of_generations as member on failed.kind = 'load' and failed.rule = 'unreadable'
    left anti join {{ versions }} as later
        on
            failed.kind = later.kind
            and failed.file_key = later.file_key
            and failed.modified_at < later.modified_at
            and coalesce(later.rule, '') not in ('unreadable', 'replaced')
    left anti join changes {{ cdc_between_sql('failed', 'member') | indent(8) }}
    group by member.generation, failed.file_key
)
{%- endmacro %}
