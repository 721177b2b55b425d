{% macro cdc_rename_columns(relation, cdc, allowed=none) %}
    {% if cdc.get('renamed_columns') %}
        {% set columns = adapter.get_columns_in_relation(relation) | map(attribute='name') | list %}
        {% for statement in _rename_statements(relation, cdc, columns, allowed) %}
            {% do run_query(statement) %}
        {% endfor %}
    {% endif %}
{% endmacro %}


{#
    Asked for by the metadata: a table that has a column under its old name only gets the new one. A table that has
    both already is left alone.
#}
{% macro _rename_statements(relation, cdc, columns, allowed=none) %}
    {% set statements = [] %}
    {% set present = columns | map('lower') | list %}
    {% for old, new in cdc.get('renamed_columns', {}).items() %}
        {% if old | lower in present and new | lower not in present and (allowed is none or new | lower in allowed) %}
            {% do statements.append(
                'alter table ' ~ relation ~ ' rename column ' ~ adapter.quote(old) ~ ' to ' ~ adapter.quote(new)
            ) %}
            {% do present.append(new | lower) %}
        {% endif %}
    {% endfor %}
    {% do return(statements) %}
{% endmacro %}
