{# One column of each fate: as it is, promoted, added, absent from the batch. #}
{% macro given_plan(raw_type=none) %}
    {% do return((
        given_column('id', 'int', raw_type or 'int'),
        given_column('line no', 'bigint', raw_type or 'bigint', change='promote'),
        given_column('price', 'double', raw_type or 'double', change='add'),
        given_column('note', 'string', none),
    )) %}
{% endmacro %}
