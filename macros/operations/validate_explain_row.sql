{% macro validate_explain_row(node, silver, key, types) %}
    {% set cdc = node.config.meta.cdc %}
    {% set problems = [] %}
    {% if not types or silver is none %}
        {% do problems.append(
            'bronze or silver does not exist yet: run `dbt build --select +' ~ node.name ~ '` first'
        ) %}
    {% endif %}
    {% for name, value in key.items() if types %}
        {% if name not in types %}
            {% do problems.append('bronze has no column ' ~ name ~ ' yet, no row of the table has arrived') %}
        {% elif value is not none %}
            {% set cast_sql = 'try_cast(' ~ adapter.string_literal(value) ~ ' as ' ~ types[name] ~ ')' %}
            {% set sql = 'select ' ~ cast_sql ~ ' is null as is_wrong' %}
            {% if run_query(sql).rows[0]['is_wrong'] %}
                {% do problems.append(name ~ " is '" ~ value ~ "', expected a value of type " ~ types[name]) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            'CDC error (explain_row) for ' ~ cdc.source_schema ~ '.' ~ cdc.source_table ~ ': ' ~ problems | join('; ') ~ '.'
        ) %}
    {% endif %}
{% endmacro %}
