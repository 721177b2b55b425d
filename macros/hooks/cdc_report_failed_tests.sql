{# A count of failures sends people searching: show the first rows that each failed test found. #}
{% macro cdc_report_failed_tests(results) %}
    {% for result in results if execute and result.node.resource_type == 'test' and result.status in ['fail', 'warn'] %}
        {% set sql = 'select * from (' ~ result.node.compiled_code ~ '\n) limit 5' %}
        {% set rows = run_query(sql) %}
        {% do log(result.node.name ~ ' found:', info=true) %}
        {% for row in rows %}
            {% set cells = [] %}
            {% for name, value in row.dict().items() %}
                {% do cells.append(name ~ '=' ~ value) %}
            {% endfor %}
            {% do log('  ' ~ cells | join(', '), info=true) %}
        {% endfor %}
        {% set more = (result.failures or 0) - rows | length %}
        {% do log('  and ' ~ more ~ ' more', info=true) if more > 0 %}
    {% endfor %}
{% endmacro %}
