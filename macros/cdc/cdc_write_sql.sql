{# The statement that adds this run's rows to a CDC table; one that touches nothing when there are none. #}
{% macro cdc_write_sql(target, source) %}
    {%- set cdc = config.get('meta').cdc -%}
    {%- set marks = cdc_marks() -%}
    {%- if not cdc_has_news() -%}
        select 'nothing new' as status
    {%- else -%}
        {%- set columns = adapter.get_columns_in_relation(target) | map(attribute='name') | list -%}
        {%- if marks.replaces_all -%}
            {{ cdc_insert_sql(target, source, columns, 'overwrite') }}
        {%- elif cdc.layer == 'silver' and cdc.mode == 'history' -%}
            {{ cdc_history_merge_sql(cdc, target, source, columns) }}
        {%- elif marks.replaces -%}
            {%- do cdc_replace_rows(cdc, target, source, columns, fromjson(marks.replaces)) -%}
            select 'replaced' as status
        {%- elif cdc.layer == 'silver' and not marks.inserts -%}
            {{ cdc_merge_sql(cdc, target, source, columns, marks) }}
        {%- else -%}
            {{ cdc_insert_sql(target, source, columns) }}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
