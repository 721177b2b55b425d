{#
    How a batch is written to silver: create, overwrite (files were overwritten: bronze has no record of what their rows had
    replaced), versions (mode history), replace, append or merge.
#}
{% macro cdc_silver_way(cdc, silver, changes) %}
    {% if silver is none %}
        {% do return('create') %}
    {% elif changes.replaces_all %}
        {% do return('overwrite') %}
    {% elif cdc.mode == 'history' %}
        {% do return('versions') %}
    {% elif _batch_allows_replace(cdc, changes) %}
        {% do return('replace') %}
    {% elif cdc.mode == 'append' and _has_only_new_files(changes) %}
        {% do return('append') %}
    {% endif %}
    {% do return('merge') %}
{% endmacro %}


{#
    Whether silver takes this batch by cdc_replace_rows: every change is newer than every row, and brings the whole row of
    its own key alone.
#}
{% macro _batch_allows_replace(cdc, changes) %}
    {% do return(
        changes.may_replace
        and 0 < changes.changes <= 2000000
        and not (changes.has_late or changes.has_partial or changes.has_new_reset_point or changes.has_key_changes)
        and not (cdc_is_soft(cdc) and changes.has_deletes)
    ) %}
{% endmacro %}


{#
    Whether no row of a batch is a row of a file that silver has applied: all sort after what was applied, in other files.
    Not across generations: a reload overwrites the files of the load before it.
#}
{% macro _has_only_new_files(changes) %}
    {% set applied = changes.applied_sequence %}
    {% set first_file = cdc_sequence_part(changes.first_sequence, 'through_file', false) %}
    {% set last_generation = cdc_sequence_part(changes.last_sequence, 'generation', false) %}
    {% do return(
        applied != '' and not changes.has_new_reset_point
        and first_file > cdc_sequence_part(applied, 'through_file', false)
        and last_generation == cdc_sequence_part(applied, 'generation', false)
    ) %}
{% endmacro %}
