{#
    Whether silver can take a batch by removing the rows of its keys and adding the new ones, which reads no more of the
    table than its keys: every change of the batch is newer than every row, and brings the whole row. On a small table
    one MERGE is faster.
#}
{% macro cdc_replaces_rows(cdc, changes, progress) %}
    {% do return(
        config.get('tblproperties', {}).get('write.delete.mode') == 'merge-on-read'
        and cdc.mode == 'current' and cdc.get('unchanged_rows') != 'skip'
        and progress.get('total-records', 0) | int >= var('cdc_replace_rows_from', 200000)
        and 0 < changes.changes <= 2000000
        and not (changes.has_late or changes.has_partial or changes.has_new_barrier)
        and not (cdc_is_soft(cdc) and changes.has_deletes)
    ) %}
{% endmacro %}
