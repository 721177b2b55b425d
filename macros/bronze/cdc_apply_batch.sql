{# Applies all of a plan that comes before the write. #}
{% macro cdc_apply_batch(cdc, plan) %}
    {% for warning in plan.warnings %}
        {% do exceptions.warn(warning) %}
    {% endfor %}
    {% for statement in plan.statements %}
        {% do run_query(statement) %}
    {% endfor %}
    {% do adapter.change_columns(this, plan.column_changes) %}
    {% if not plan.counts_rejections %}
        {% do return(plan.properties) %}
    {% endif %}
    {% set count = adapter.query(cdc_rejected_count_sql(cdc, ref('rejected_files')))[0]['row_count'] %}
    {% do return(dict(plan.properties, **{'cdc.rejected': count or none})) %}
{% endmacro %}
