{# A warning for each column of a batch that has another name here, or that is nearly one of those that DMS adds. #}
{% macro cdc_warn_of_names(cdc, raw) %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% for column in cdc_source_parts(cdc, raw) %}
        {% set name = column.get('file_name', column.name) %}
        {% if name != column.name %}
            {% do exceptions.warn(
                this ~ ': column ' ~ name ~ ' is reserved and is called ' ~ column.name ~ ' here (docs/feeds/dms.md)'
            ) %}
        {% elif name | lower == 'op' and cdc.format == 'parquet' and cdc.options.operation_column != 'never' %}
            {% do exceptions.warn(this ~ ': column ' ~ name ~ ' is taken as a column of the source: DMS writes Op') %}
        {% elif prefix and (name | lower).startswith(prefix | lower) %}
            {% do exceptions.warn(
                this ~ ': column ' ~ name ~ ' is taken as a column of the source: before_image_prefix is ' ~ prefix
            ) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
