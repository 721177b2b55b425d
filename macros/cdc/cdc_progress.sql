{# Only ancestors of the current snapshot count: a rollback of the table rolls its progress back with it. #}
{% macro cdc_progress(relation) %}
    {% set progress = {} %}
    {% if relation is not none %}
        {% for name, value in adapter.newest_summary(relation, 'cdc.batch-id').items() if name.startswith('cdc.') or name == 'total-records' %}
            {% do progress.update({name: value}) %}
        {% endfor %}
    {% endif %}
    {% do return(progress) %}
{% endmacro %}
