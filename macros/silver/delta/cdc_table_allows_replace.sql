{#
    Whether a table of current rows takes those batches that allow it by removing the rows of their keys and adding the
    new ones, which reads no more of the table than its keys. On a small table one MERGE is faster. An operation, which
    has no progress, has no config either.
#}
{% macro cdc_table_allows_replace(cdc, progress) %}
    {% do return(
        progress.get('total-records', 0) | int >= var('cdc_replace_rows_from')
        and cdc.get('unchanged_rows') != 'skip'
        and config.get('tblproperties', {}).get('write.delete.mode') == 'merge-on-read'
    ) %}
{% endmacro %}
