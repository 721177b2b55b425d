{# Gives columns of a table their new names: those of a plan, by old name, or all that the metadata asks for. #}
{% macro cdc_rename_columns(relation, cdc, renames=none) %}
    {% if renames is none %}
        {% set arguments = {'cdc': cdc, 'columns': adapter.get_columns_in_relation(relation)} %}
        {% set renames = adapter.call_function('python_udfs.pipeline.columns.find_renames', arguments) %}
    {% endif %}
    {% for old, new in renames.items() %}
        {% set names = adapter.quote(old) ~ ' to ' ~ adapter.quote(new) %}
        {% do run_query('alter table ' ~ relation ~ ' rename column ' ~ names) %}
    {% endfor %}
{% endmacro %}
