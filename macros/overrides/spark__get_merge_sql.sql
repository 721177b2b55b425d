{% macro spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}
    {%- if config.get('meta', {}).get('cdc') -%}
        {{ cdc_write_sql(target, source) }}
    {%- else -%}
        {{ dbt.spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) }}
    {%- endif -%}
{% endmacro %}
