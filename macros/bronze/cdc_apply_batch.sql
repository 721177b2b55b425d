{# Applies all of a plan that comes before the write. #}
{% macro cdc_apply_batch(cdc, plan) %}
    {% for warning in plan.warnings %}
        {% do exceptions.warn(warning) %}
    {% endfor %}
    {% for statement in plan.statements %}
        {% do run_query(statement) %}
    {% endfor %}
    {% do adapter.change_columns(this, plan.column_changes) %}
    {% set counts = plan.counts_rejections %}
    {% set rejected = {'cdc.rejected': cdc_rejected_count(cdc, ref('rejected_files')) or none} if counts else {} %}
    {% do return(dict(plan.properties, **rejected)) %}
{% endmacro %}
