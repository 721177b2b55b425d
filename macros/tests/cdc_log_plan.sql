{# The source columns of bronze that silver has, as cdc_log_sql wants them. #}
{% macro cdc_log_plan(bronze, columns, cdc) %}
    {% set in_bronze = adapter.get_columns_in_relation(bronze) %}
    {% set names = in_bronze | map(attribute='name') | list %}
    {% set wanted = columns | map('lower') | list %}
    {% set plan = [] %}
    {% for column in in_bronze %}
        {% if column.name | lower in wanted and not column.name.startswith('_cdc_') %}
            {% do plan.append({
                'name': column.name, 'raw_type': column.dtype, 'type': column.dtype,
                'old_columns': cdc_old_columns(cdc, column.name, names),
            }) %}
        {% endif %}
    {% endfor %}
    {% do return(plan) %}
{% endmacro %}
