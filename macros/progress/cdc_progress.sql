{# Only ancestors of the current snapshot count: a rollback of the table rolls its progress back with it. #}
{% macro cdc_progress(relation) %}
    {% set progress = {} %}
    {% set summary = adapter.newest_summary(relation, 'cdc.batch-id') if relation is not none else {} %}
    {% for name, value in summary.items() if name.startswith('cdc.') or name == 'total-records' %}
        {% do progress.update({name: value}) %}
    {% endfor %}
    {% do return(progress) %}
{% endmacro %}
