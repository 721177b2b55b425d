{% macro validate_replay_quarantine(node, cdc, columns) %}
    {% set problems = cdc_replay_problems(cdc, columns) if cdc else ['its bronze table does not exist yet'] %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            'CDC error (replay_quarantine) for ' ~ node.alias ~ ': ' ~ problems | join('; ') ~ '. Nothing was replayed.'
        ) %}
    {% endif %}
{% endmacro %}
