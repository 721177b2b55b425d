{#
    Asked for by the metadata: a table that has a column under its old name only gets the new one. A table that has
    both already is left alone.
#}
{% macro cdc_rename_columns_sql(relation, cdc, columns, allowed=none) %}
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
