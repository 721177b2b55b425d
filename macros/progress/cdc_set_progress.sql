{% macro cdc_set_progress(progress) %}
    {% set properties = {} %}
    {% for name, value in progress.items() if value is none or value | string %}
        {% do properties.update({'spark.sql.iceberg.snapshot-property.cdc.' ~ name: value}) %}
    {% endfor %}
    {% do adapter.set_properties(properties) %}
{% endmacro %}
