{% macro cdc_evolve_columns(relation, plan) %}
    {% for statement in _evolve_statements(relation, plan) %}
        {% do run_query(statement) %}
    {% endfor %}
{% endmacro %}


{% macro _evolve_statements(relation, plan) %}
    {% set statements = [] %}
    {% set added = [] %}
    {% for column in plan %}
        {% if column.change == 'add' %}
            {% do added.append(adapter.quote(column.name) ~ ' ' ~ column.type) %}
        {% elif column.change == 'promote' %}
            {% set name = adapter.quote(column.name) %}
            {% do statements.append('alter table ' ~ relation ~ ' alter column ' ~ name ~ ' type ' ~ column.type) %}
        {% endif %}
    {% endfor %}
    {% if added %}
        {% do statements.append('alter table ' ~ relation ~ ' add columns (' ~ added | join(', ') ~ ')') %}
    {% endif %}
    {% do return(statements) %}
{% endmacro %}
