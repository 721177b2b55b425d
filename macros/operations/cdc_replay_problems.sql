{# Why the quarantined rows of a table cannot be judged again. #}
{% macro cdc_replay_problems(cdc, columns) %}
    {% set problems = [] %}
    {% if cdc.format == 'csv' and cdc.options.header %}
        {% do problems.append(
            'its files have a header, and a row in quarantine does not name it: deliver the rows again'
        ) %}
    {% endif %}
    {% for column in columns if not column.is_known %}
        {% do problems.append(
            'rows in quarantine have a column ' ~ column.name ~ ' that bronze does not have: add it with `alter table`, or to'
            ~ ' renamed_columns, or let the next file bring it'
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
