{% macro validate_rebuilt(cdc, bronze, rebuilt, snapshot_id) %}
    {% set columns = adapter.get_columns_in_relation(rebuilt) | map(attribute='name') | list %}
    {% set plan = cdc_log_plan(bronze, columns, cdc) %}
    {% set rows = run_query(cdc_difference_sql(cdc, rebuilt, bronze, snapshot_id, columns, plan) ~ '\nlimit 5') %}
    {% if rows | length %}
        {% set found = [] %}
        {% for row in rows %}
            {% do found.append(row.values() | list) %}
        {% endfor %}
        {% do exceptions.raise_compiler_error(
            'CDC error (rebuild_silver): ' ~ rebuilt ~ ' differs from ' ~ bronze ~ '; nothing was replaced. This is a'
            ~ ' defect: keep the table and report it. The first differences:\n'
            ~ adapter.call_function('python_udfs.pipeline.text_table.write_table', {
                'titles': rows.columns.keys() | list, 'rows': found
            })
        ) %}
    {% endif %}
{% endmacro %}
