{#
    The truncates and complete reloads in a part of bronze, from what its summary says of the first and the last of them:
    only where these differ there is more to ask.
#}
{% macro cdc_barriers(summary, rows_sql) %}
    {% set first, last = summary['first_barrier'], summary['last_barrier'] %}
    {% if first == last %}
        {% do return([first] | select | list) %}
    {% endif %}
    {% do return(run_query(cdc_barriers_sql(rows_sql)).columns[0].values() | list) %}
{% endmacro %}
