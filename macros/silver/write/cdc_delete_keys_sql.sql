{#
    Removes the rows whose keys a batch names. The batch goes to every task, so the table is neither sorted nor moved;
    the range of the keys leaves out files that hold none of them.
#}
{% macro cdc_delete_keys_sql(cdc, target, new_changes, key_range=none) -%}
delete from {{ target }} as _cdc_target
where
    exists (
        select /*+ broadcast(new_changes) */ 1
        from {{ new_changes }} as new_changes
        where {{ cdc_same_key_sql(cdc, '_cdc_target', 'new_changes') }}
    )
    {%- if key_range %}
    and {{ cdc_in_range_sql('_cdc_target.' ~ adapter.quote(cdc.primary_key[0]), key_range) | indent(4) }}
    {%- endif %}
{%- endmacro %}
