{#
    The rows of a batch that replace those of its keys. The view of its changes, and what they say of the keys, are for
    cdc_replace_rows, which also records the progress.
#}
{% macro cdc_replacing(cdc, bronze, existing, changes, plan, progress) %}
    {% set news = cdc_news_view(existing) %}
    {% do run_query('create or replace temporary view ' ~ news ~ ' as\n' ~ changes.sql) %}
    {% set range_type = cdc_range_type(cdc, plan) %}
    {% set replaces = {'progress': progress, 'range_type': range_type} %}
    {% set counts = run_query(cdc_key_counts_sql(cdc, news, range_type)) %}
    {% for name in counts.column_names %}
        {% do replaces.update({name: counts.rows[0][name]}) %}
    {% endfor %}
    {% do changes.update({'replaces': true}) %}
    {% do return(
        cdc_mark_sql('replaces', tojson(replaces)) ~ '\n' ~ cdc_silver_query(cdc, bronze, existing, changes, plan)
    ) %}
{% endmacro %}
