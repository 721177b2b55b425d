{% macro cdc_rebuild_counts(silver, helper) %}
    {% set after = run_query('select count(*) as row_count from ' ~ helper).rows[0]['row_count'] %}
    {% if load_relation(silver) is none %}
        {% do return(after ~ ' rows, it does not exist yet') %}
    {% endif %}
    {% set before = run_query('select count(*) as row_count from ' ~ silver).rows[0]['row_count'] %}
    {% do return(before ~ ' rows before, ' ~ after ~ ' after') %}
{% endmacro %}
