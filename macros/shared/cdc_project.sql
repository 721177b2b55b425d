{# The tables of the project, for commands and hooks (python_udfs/pipeline/project.py); only if execute. #}
{% macro cdc_project() %}
    {% do return(adapter.call_function('python_udfs.pipeline.project.Project', {
        'warehouse': adapter, 'sql': context, 'models': cdc_models(),
    })) %}
{% endmacro %}
