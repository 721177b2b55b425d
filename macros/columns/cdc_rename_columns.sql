{# Gives columns of a table their new names. #}
{% macro cdc_rename_columns(relation, renames) %}
    {% for old, new in renames.items() %}
        {% set names = adapter.quote(old) ~ ' to ' ~ adapter.quote(new) %}
        {% do run_query('alter table ' ~ relation ~ ' rename column ' ~ names) %}
    {% endfor %}
{% endmacro %}
