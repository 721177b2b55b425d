{# The columns that hold the key as it was before the change, in the form of a plan. #}
{% macro cdc_before_images(cdc, raw, plan) %}
    {% if raw.view is none %}
        {% do return(()) %}
    {% endif %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.plan_before_images', {
        'cdc': cdc, 'plan': plan, 'warehouse': adapter,
        'columns': raw.columns,
    })) %}
{% endmacro %}
