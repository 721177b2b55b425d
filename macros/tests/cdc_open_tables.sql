{#
    Listed tables that may have files which are not in bronze: those without metadata (is_known is false), and those whose
    progress is before their newest batch. A table whose progress has come as far has all of its files, but for rejected
    ones; a table that is not active waits, and says so.
#}
{% macro cdc_open_tables(listing) %}
    {% set tables, progress = [], cdc_progress_of_tables() %}
    {% for key, listed in cdc_listed_tables(listing).items() if listed.batch_id %}
        {% set table = progress.get(key) %}
        {% if not table or (table.is_active and table.batch_id < listed.batch_id) %}
            {% do tables.append({'source_table': listed.source_table, 'is_known': table is not none}) %}
        {% endif %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
