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
    {% elif cdc_replaces_rows(cdc, changes) %}
        {% do return('replace') %}
    {% elif cdc.mode == 'append' and cdc_has_only_new_objects(changes) %}
        {% do return('append') %}
    {% endif %}
    {% do return('merge') %}
{% endmacro %}
