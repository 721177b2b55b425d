{% macro cdc_progress(relation) %}
    {% set progress = {} %}
    {% if relation is not none %}
        {% for row in run_query(cdc_progress_sql(relation)) %}
            {% do progress.update(fromjson(row['progress'])) %}
        {% endfor %}
    {% endif %}
    {% do return(progress) %}
{% endmacro %}
