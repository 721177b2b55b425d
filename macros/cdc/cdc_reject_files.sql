{#
    A rejection is committed before the batch that leaves the object out: after a crash between the two the object
    is still rejected, and the other way round it would be lost.
#}
{% macro cdc_reject_files(cdc, files_sql, rule, files) %}
    {% if files %}
        {% do run_query(cdc_reject_files_sql(ref('rejected_files'), cdc, files_sql, rule, files)) %}
    {% endif %}
{% endmacro %}
