{#
    How many rows a batch has deleted of those that it removed. The changes tell it, unless they contradict what was
    there; then the table is looked at.
#}
{% macro cdc_count_deleted(cdc, target, news, has_deletes, rows_removed) %}
    {% if not has_deletes %}
        {% do return(0) %}
    {% endif %}
    {% set keys = run_query(cdc_key_counts_sql(cdc, news)).rows[0] %}
    {% if 0 <= rows_removed - keys['rows_before'] <= keys['rows_unclear'] %}
        {% do return(keys['rows_deleted']) %}
    {% endif %}
    {% do return(run_query(cdc_count_deleted_sql(cdc, target, news)).rows[0]['rows_deleted']) %}
{% endmacro %}
