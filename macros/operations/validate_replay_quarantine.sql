{% macro validate_replay_quarantine(node, cdc, columns) %}
    {% set problems = [] %}
    {% if not cdc %}
        {% do problems.append('its bronze table does not exist yet') %}
    {% elif cdc.format == 'csv' and cdc.options.header %}
        {% do problems.append(
            'its files have a header, and a row in quarantine does not name it: deliver the rows again'
        ) %}
    {% elif cdc.format == 'json' %}
        {% do problems.append('its rows are messages, which are parsed when they are split: deliver them again') %}
    {% endif %}
    {% for column in columns if not column.is_known %}
        {% do problems.append(
            'rows in quarantine have a column ' ~ column.name ~ ' that bronze does not have: add it with `alter table`, or to'
            ~ ' renamed_columns, or let the next file bring it'
        ) %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            'CDC error (replay_quarantine) for ' ~ node.alias ~ ': ' ~ problems | join('; ') ~ '. Nothing was replayed.'
        ) %}
    {% endif %}
{% endmacro %}
