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
    {% elif cdc_batch_allows_replace(cdc, changes) %}
        {% do return('replace') %}
    {% elif cdc.mode == 'append' and _has_only_new_files(changes) %}
        {% do return('append') %}
    {% endif %}
    {% do return('merge') %}
{% endmacro %}


{#
    Whether no row of a batch can stand at a place of raw that silver knows: all sort after what was applied, in other
    files (what follows them in a sequence is row and time, 28 characters). Not across generations: a reload
    overwrites the files of the load before it.
#}
{% macro _has_only_new_files(changes) %}
    {% set applied = changes.applied_sequence %}
    {% do return(
        applied != '' and not changes.has_new_reset_point
        and changes.first_sequence[:-28] > applied[:-28]
        and changes.last_sequence[:6] == applied[:6]
    ) %}
{% endmacro %}
