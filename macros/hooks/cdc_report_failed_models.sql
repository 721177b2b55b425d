{#
    Models over all tables are built although some tables failed (`runs_after_failures`): say of which they show an older
    state.
#}
{% macro cdc_report_failed_models(results) %}
    {% set made, lost = [], [] %}
    {% for result in results if execute and result.node.resource_type == 'model' %}
        {% set holds_data = adapter.call_function('python_udfs.pipeline.table.holds_data', {'node': result.node}) %}
        {% if result.node.config.meta.get('runs_after_failures') and result.status == 'success' %}
            {% do made.append(result.node.name) %}
        {% elif holds_data and result.status != 'success' %}
            {% do lost.append(result.node.name ~ ' (' ~ result.status ~ ')') %}
        {% endif %}
    {% endfor %}
    {% if made and lost %}
        {% set more = ' and ' ~ (lost | length - 10) ~ ' more' if lost | length > 10 else '' %}
        {% do log(
            made | sort | join(', ') ~ ': made of the tables that exist, without what these models had to bring: '
            ~ (lost | sort)[:10] | join(', ') ~ more,
            info=true
        ) %}
    {% endif %}
{% endmacro %}
