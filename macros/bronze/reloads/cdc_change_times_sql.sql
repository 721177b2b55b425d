{# The CTE `changes`: when each change file first came, in whatever version. #}
{% macro cdc_change_times_sql(versions) -%}
changes as (
    select
        file_key,
        min(modified_at) as came_at,
        bool_or(rule is null) as is_read
    from {{ versions }}
    where kind <> 'load'
    group by file_key
)
{%- endmacro %}
