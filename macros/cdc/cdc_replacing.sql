{#
    The rows of a batch that replace those of its keys. The view of its changes is for cdc_replace_rows, which
    also records the progress.
#}
{% macro cdc_replacing(cdc, bronze, existing, changes, plan, progress) %}
    {% do run_query('create or replace temporary view ' ~ cdc_news_view(existing) ~ ' as\n' ~ changes.sql) %}
    {% do changes.update({'replaces': true}) %}
    {% set replaces = {'progress': progress, 'has_deletes': changes.has_deletes, 'key_range': changes.key_range} %}
    {% do return(
        cdc_mark_sql('replaces', tojson(replaces)) ~ '\n' ~ cdc_silver_query(cdc, bronze, existing, changes, plan)
    ) %}
{% endmacro %}
