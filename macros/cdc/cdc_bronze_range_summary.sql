{# What cdc_bronze_range_summary_sql says of a part of bronze; what it says of the keys apart, for cdc_replace_rows. #}
{% macro cdc_bronze_range_summary(cdc, plan, rows_sql, has_key_counts) %}
    {% if not has_key_counts %}
        {% do return(dict(run_query(cdc_bronze_range_summary_sql(rows_sql)).rows[0], key_counts=none)) %}
    {% endif %}
    {% set range_type = cdc_range_type(cdc, plan) %}
    {% set renamed_sql = cdc_renamed_columns_sql(cdc, plan, rows_sql) %}
    {% set summary = dict(run_query(cdc_bronze_range_summary_sql(renamed_sql, cdc, range_type)).rows[0]) %}
    {% set key_counts = {'range_type': range_type} %}
    {% for name in ['first_key', 'last_key', 'rows_before', 'rows_deleted'] if name in summary %}
        {% do key_counts.update({name: summary[name]}) %}
    {% endfor %}
    {% do return(dict(summary, key_counts=key_counts)) %}
{% endmacro %}
