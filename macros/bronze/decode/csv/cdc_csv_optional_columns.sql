{#
    The optional columns of a CSV table without a header, as cdc_column_plan has them, each with its position among all.
    What DMS adds, before images and the change sequence, is in no table and is left out.
#}
{% macro cdc_csv_optional_columns(cdc, plan) %}
    {% set optional = [] %}
    {% if cdc.format == 'csv' and not cdc.options.header %}
        {% for listed in cdc.columns if listed.optional %}
            {% set position = cdc.columns.index(listed) + 1 %}
            {% for column in plan if column.name | lower == listed.name | lower %}
                {% do optional.append((column, position)) %}
            {% endfor %}
        {% endfor %}
    {% endif %}
    {% do return(optional) %}
{% endmacro %}
