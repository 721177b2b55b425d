{# A corrected type of the seed that Iceberg cannot give to the column in place, or that the policy does not. #}
{% macro cdc_warn_of_types(bronze, plan) %}
    {% for column in plan if cdc_is_behind(column) %}
        {% do exceptions.warn(
            bronze ~ ': column ' ~ column.name ~ ' is ' ~ column.type ~ ', seeds/cdc_columns.csv has ' ~ column.listed_type
            ~ '; values that do not fit are quarantined. Run ' ~ cdc_change_types_command(bronze) ~ '.'
        ) %}
    {% endfor %}
{% endmacro %}
