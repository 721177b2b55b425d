{#
    Applies all of a plan that comes before the write. Rejections come first: after a crash between the two commits a file
    is still rejected, and the other way round it would be lost.
#}
{% macro cdc_apply_batch(cdc, bronze, plan) %}
    {% for warning in plan.warnings %}
        {% do exceptions.warn(warning) %}
    {% endfor %}
    {% if plan.rejections %}
        {% set rejections_sql = cdc_rejections_sql(cdc, plan.rejections_sql, plan.rejections) %}
        {% do run_query('insert into ' ~ ref('rejected_files') ~ '\n' ~ rejections_sql) %}
    {% endif %}
    {% if plan.way == 'nothing' %}
        {% do return(none) %}
    {% endif %}
    {% if plan.way == 'append' %}
        {% do cdc_rename_columns(bronze, plan.renames) %}
        {% do cdc_evolve_columns(bronze, plan.columns) %}
    {% endif %}
    {% set properties = dict(plan.properties) %}
    {% if plan.counts_rejections %}
        {% do properties.update({'cdc.rejected': cdc_rejected_count(cdc, ref('rejected_files')) or none}) %}
    {% endif %}
    {% do adapter.set_snapshot_properties(properties) %}
{% endmacro %}
