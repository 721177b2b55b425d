{# Warns of each column of another type than its seed's: bronze cannot follow it, or it follows files beyond it. #}
{% macro cdc_warn_of_types(table, cdc, plan) %}
    {% for warning in adapter.call_function('python_udfs.pipeline.columns.warn_of_types', {
        'table': table, 'cdc': cdc, 'plan': plan, 'command': cdc_change_types_command(table),
    }) %}
        {% do exceptions.warn(warning) %}
    {% endfor %}
{% endmacro %}
