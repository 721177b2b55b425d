{#
    Whether silver takes this batch by cdc_replace_rows: every change is newer than every row, and brings the whole row of
    its own key alone.
#}
{% macro cdc_batch_allows_replace(cdc, changes) %}
    {% do return(
        changes.may_replace
        and 0 < changes.changes <= 2000000
        and not (changes.has_late or changes.has_partial or changes.has_new_reset_point or changes.has_key_changes)
        and not (cdc_is_soft(cdc) and changes.has_deletes)
    ) %}
{% endmacro %}
