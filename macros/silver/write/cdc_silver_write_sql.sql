{# The statement that writes a batch to silver the planned way; none if cdc_replace_rows has written it. #}
{% macro cdc_silver_write_sql(cdc, bronze, plan) %}
    {% set rows_sql = cdc_silver_query(cdc, bronze, plan) %}
    {% if plan.way == 'create' %}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% elif plan.way == 'replace' %}
        {% do cdc_replace_rows(cdc, plan.silver, rows_sql, plan.changes, plan.progress) %}
        {% do return(none) %}
    {% elif plan.way in ['append', 'overwrite'] %}
        {% set verb = 'insert overwrite ' if plan.way == 'overwrite' else 'insert into ' %}
        {% do return(verb ~ plan.silver ~ ' by name\n' ~ rows_sql) %}
    {% endif %}
    {% set columns = adapter.get_columns_in_relation(plan.silver) | map(attribute='name') | list %}
    {% set source = '(\n' ~ rows_sql ~ '\n)' %}
    {% if plan.way == 'versions' %}
        {% do return(cdc_history_merge_sql(cdc, plan.silver, source, columns)) %}
    {% endif %}
    {% do return(cdc_merge_sql(cdc, plan.silver, source, columns, plan.changes)) %}
{% endmacro %}
