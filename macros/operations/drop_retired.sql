{# Operation of `make retire DROP=1`: drops tables with all that they hold, whether they are there or not. #}
{% macro drop_retired(tables) %}
    {% for name in tables %}
        {% set parts = name.split('.', 1) %}
        {% do run_query('drop table if exists ' ~ adapter.quote(parts[0]) ~ '.' ~ adapter.quote(parts[1]) ~ ' purge') %}
    {% endfor %}
{% endmacro %}
