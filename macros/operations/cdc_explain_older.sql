{% macro cdc_explain_older(change, applied, state) %}
    {% set after = applied | selectattr('number', 'gt', change.number) | list %}
    {% set barriers = after | selectattr('role', 'in', ['truncate', 'reload']) | list %}
    {% set sooner = after | selectattr('batch_id', 'lt', change.batch_id) | map(attribute='number') | list %}
    {% set columns = cdc_explain_columns(state, change.number) %}
    {% if after[0].sequence[:-15] == change.sequence[:-15] %}
        {% set reason = 'the same row of the same object, read again as ' ~ after[0].number %}
    {% elif barriers and barriers[0].number < state.newest.number %}
        {% set reason = 'lost: before the ' ~ barriers[0].role ~ ' ' ~ barriers[0].number %}
    {% elif change.sequence[:-45] == state.newest.sequence[:-45] and change.source_file != state.newest.source_file %}
        {% set reason = 'lost: same time as ' ~ state.newest.number ~ ', only the name of the object decides' %}
    {% else %}
        {% set reason = 'lost: older than ' ~ state.newest.number %}
    {% endif %}
    {% do return(
        reason
        ~ (', came after it' if sooner else '')
        ~ ('; still gives ' ~ columns if columns else '')
    ) %}
{% endmacro %}
