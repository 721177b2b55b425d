{# The statement that writes a batch to silver the chosen way; none where cdc_replace_rows has written it. #}
{% macro cdc_silver_write_sql(cdc, bronze, silver, changes, plan, way, progress) %}
    {% set changes = dict(changes, replaces=way == 'replace') %}
    {% set rows_sql = cdc_silver_query(cdc, bronze, none if way == 'overwrite' else silver, changes, plan) %}
    {% if way == 'create' %}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% endif %}
    {% if way == 'replace' %}
        {% do cdc_replace_rows(cdc, silver, rows_sql, changes, progress) %}
        {% do return(none) %}
    {% elif way in ['append', 'overwrite'] %}
        {% set verb = 'insert overwrite ' if way == 'overwrite' else 'insert into ' %}
        {% do return(verb ~ silver ~ ' by name\n' ~ rows_sql) %}
    {% endif %}
    {% set columns = adapter.get_columns_in_relation(silver) | map(attribute='name') | list %}
    {% set source = '(\n' ~ rows_sql ~ '\n)' %}
    {% if way == 'versions' %}
        {% do return(cdc_history_merge_sql(cdc, silver, source, columns)) %}
    {% endif %}
    {% do return(cdc_merge_sql(cdc, silver, source, columns, changes)) %}
{% endmacro %}
