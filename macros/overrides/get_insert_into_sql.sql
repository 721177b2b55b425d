{% macro get_insert_into_sql(source_relation, target_relation) %}
    {%- if config.get('meta', {}).get('cdc') -%}
        {{ cdc_write_sql(target_relation, source_relation) }}
    {%- else -%}
        {{ dbt.get_insert_into_sql(source_relation, target_relation) }}
    {%- endif -%}
{% endmacro %}
