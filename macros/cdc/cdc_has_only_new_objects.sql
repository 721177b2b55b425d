{#
    Whether no row of a batch can stand at a place of raw that silver knows: all sort after what was applied, in other
    objects (what follows them in a sequence is row and time, 28 characters). Not across generations: a reload
    overwrites the objects of the load before it.
#}
{% macro cdc_has_only_new_objects(changes) %}
    {% set applied = changes.applied_sequence %}
    {% do return(
        applied != '' and not changes.has_new_barrier
        and changes.first_sequence[:-28] > applied[:-28]
        and changes.last_sequence[:6] == applied[:6]
    ) %}
{% endmacro %}
