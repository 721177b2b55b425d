{% macro cdc_set_progress(progress) %}
    {% for name, value in progress.items() if value | string %}
        {% do run_query("set `spark.sql.iceberg.snapshot-property.cdc." ~ name ~ "` = " ~ value) %}
    {% endfor %}
{% endmacro %}
