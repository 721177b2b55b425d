{#
    Removes the rows whose keys a batch names. The batch goes to every task, so the table is neither sorted nor moved;
    the range of the keys leaves out files that hold none of them.
#}
{% macro cdc_delete_keys_sql(cdc, target, news, key_range) -%}
{%- set key = 'target.' ~ adapter.quote(cdc.primary_key[0]) -%}
delete from {{ target }} as target
where
    exists (
        select /*+ broadcast(news) */ 1
        from {{ news }} as news
        where {{ cdc_same_key_sql(cdc, 'target', 'news') }}
    )
    {%- if key_range %}
    and {{ key }} >= cast({{ adapter.string_literal(key_range.first) }} as {{ key_range.type }})
    and {{ key }} <= cast({{ adapter.string_literal(key_range.last) }} as {{ key_range.type }})
    {%- endif %}
{%- endmacro %}
