{#
    Removes the rows of a batch's keys and adds the new ones on a branch, which then becomes the table in one commit:
    readers see both or neither. Only the last commit carries the progress, so no state without the new rows claims it.
    Where maintenance has committed meanwhile it is done again, on top of that.
#}
{% macro cdc_replace_rows(cdc, target, rows_sql, changes, progress) %}
    {#- A name of this run's own: two runs never write on one branch. -#}
    {% set name = 'cdc_write_' ~ invocation_id | replace('-', '') %}
    {% set branch = target ~ '.branch_' ~ name %}
    {% set new_changes = '(\n' ~ changes.sql ~ '\n)' %}
    {% set done = namespace(published=false) %}
    {% for attempt in range(3) if not done.published %}
        {% do adapter.start_branch(target, name) %}
        {% do adapter.set_snapshot_properties(dict.fromkeys(progress)) %}
        {% do adapter.set_snapshot_properties({'cdc.part-of-batch': progress.get('cdc.batch-id')}) %}
        {% do run_query(_delete_keys_sql(cdc, branch, new_changes, changes.key_range)) %}
        {% set rows_removed = adapter.rows_removed(target, name) %}
        {% set rows_deleted = cdc_count_deleted(cdc, target, new_changes, changes.has_deletes, rows_removed) %}
        {% do adapter.set_snapshot_properties(progress) %}
        {% do adapter.set_snapshot_properties({
            'cdc.part-of-batch': none, 'cdc.rows-updated': rows_removed - rows_deleted, 'cdc.rows-deleted': rows_deleted,
        }) %}
        {% do run_query('insert into ' ~ branch ~ ' by name\n' ~ rows_sql) %}
        {% set done.published = adapter.publish_branch(target, name) %}
    {% endfor %}
    {% if not done.published %}
        {% do exceptions.raise_compiler_error(
            target ~ ': another writer committed to this table three times while this run was writing to it.'
            ~ ' Nothing was changed, nothing is lost; run it again.'
        ) %}
    {% endif %}
{% endmacro %}


{#
    Removes the rows whose keys a batch names. The batch goes to every task, so the table is neither sorted nor moved;
    the range of the keys leaves out files that hold none of them.
#}
{% macro _delete_keys_sql(cdc, target, new_changes, key_range) -%}
{%- set key = '_cdc_target.' ~ adapter.quote(cdc.primary_key[0]) -%}
delete from {{ target }} as _cdc_target
where
    exists (
        select /*+ broadcast(new_changes) */ 1
        from {{ new_changes }} as new_changes
        where {{ cdc_same_key_sql(cdc, '_cdc_target', 'new_changes') }}
    )
    {%- if key_range %}
    {%- set range = _rounded(key_range) %}
    and {{ key }} >= cast({{ adapter.string_literal(range.first) }} as {{ range.type }})
    and {{ key }} <= cast({{ adapter.string_literal(range.last) }} as {{ range.type }})
    {%- endif %}
{%- endmacro %}


{#
    A range of whole numbers, made wider by up to a quarter. Numbers are part of the code that Spark generates to read the
    table: with the same ones the code of the batch before is used again. Multiples of a power of two stay within the type.
#}
{% macro _rounded(range) %}
    {% if range.type not in ['smallint', 'int', 'bigint'] %}
        {% do return(range) %}
    {% endif %}
    {% set first, last = range.first | int, range.last | int %}
    {% set step = 2 ** ((last - first) // 16).bit_length() %}
    {% do return({'type': range.type, 'first': first // step * step, 'last': (last // step + 1) * step - 1}) %}
{% endmacro %}
