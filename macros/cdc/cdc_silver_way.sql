{#
    How a batch is written to silver and why, as name and reason: create, overwrite (files were overwritten: nothing tells
    what their rows had replaced), versions (mode history), replace, append or merge.
#}
{% macro cdc_silver_way(cdc, silver, changes) %}
    {% set number = changes.changes ~ (' change' if changes.changes == 1 else ' changes') %}
    {% set reasons = [] %}
    {% if changes.has_late %}
        {% do reasons.append('some late') %}
    {% endif %}
    {% if changes.has_new_barrier %}
        {% do reasons.append('a truncate or a complete reload') %}
    {% endif %}
    {% set reason = ([number] + reasons) | join(', ') %}
    {% if silver is none %}
        {% set name = 'create' %}
    {% elif changes.replaces_all %}
        {% set name, reason = 'overwrite', 'files were overwritten' %}
    {% elif cdc.mode == 'history' %}
        {% set name = 'versions' %}
    {% elif cdc_replaces_rows(cdc, changes) %}
        {% set name = 'replace' %}
    {% elif cdc.mode == 'append' and cdc_has_only_new_objects(changes) %}
        {% set name = 'append' %}
    {% else %}
        {% set name = 'merge' %}
    {% endif %}
    {% do return({'name': name, 'reason': reason}) %}
{% endmacro %}
