{#
    Removes the rows whose keys a batch names. The batch goes to every task, so the table is neither sorted nor moved;
    the range of the keys leaves out files that hold none of them.
#}
{% macro cdc_delete_keys_sql(cdc, target, news, replaces) -%}
{%- set key = 'target.' ~ cdc_quote(cdc.primary_key[0]) -%}
delete from {{ target }} as target
where
    exists (
        select /*+ broadcast(news) */ 1
        from {{ news }} as news
        where {{ cdc_same_key_sql(cdc, 'target', 'news') }}
    )
    {%- if replaces.range_type %}
    and {{ key }} >= cast({{ cdc_string_sql(replaces.first_key) }} as {{ replaces.range_type }})
    and {{ key }} <= cast({{ cdc_string_sql(replaces.last_key) }} as {{ replaces.range_type }})
    {%- endif %}
{%- endmacro %}
