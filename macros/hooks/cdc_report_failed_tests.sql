{# A count of failures sends people searching: show the first rows that each failed test found. #}
{% macro cdc_report_failed_tests(results) %}
    {% set failed = cdc_failed_rows(results) if execute else {} %}
    {% for result in results if result.node.unique_id in failed %}
        {% do log(result.node.name ~ ' found:', info=true) %}
        {% set rows = failed[result.node.unique_id] %}
        {% for row in rows %}
            {% set cells = [] %}
            {% for name, value in row.items() %}
                {% do cells.append(name ~ '=' ~ value) %}
            {% endfor %}
            {% do log('  ' ~ cells | join(', '), info=true) %}
        {% endfor %}
        {% set more = (result.failures or 0) - rows | length %}
        {% do log('  and ' ~ more ~ ' more', info=true) if more > 0 %}
    {% endfor %}
{% endmacro %}
