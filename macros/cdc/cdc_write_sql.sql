{# The statement that adds this run's rows to a CDC table; one that touches nothing when there are none. #}
{% macro cdc_write_sql(target, source) %}
    {%- set cdc = config.get('meta').cdc -%}
    {%- if not cdc_has_news() -%}
        select 'nothing new' as status
    {%- else -%}
        {%- set columns = adapter.get_columns_in_relation(target) | map(attribute='name') | list -%}
        {%- if cdc.layer == 'silver' and cdc.mode != 'append' -%}
            {{ cdc_merge_sql(target, source, cdc.primary_key, columns, cdc.delete_mode, cdc_completed_generation()) }}
        {%- else -%}
            {{ cdc_insert_sql(target, source, columns) }}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
