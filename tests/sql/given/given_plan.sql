{# One column of each fate: as it is, promoted, added, absent from the batch. #}
{% macro given_plan(raw_type=none) %}
    {% do return([
        {'name': 'id', 'raw_type': raw_type or 'int', 'type': 'int', 'change': none},
        {'name': 'line no', 'raw_type': raw_type or 'bigint', 'type': 'bigint', 'change': 'promote'},
        {'name': 'price', 'raw_type': raw_type or 'double', 'type': 'double', 'change': 'add'},
        {'name': 'note', 'raw_type': none, 'type': 'string', 'change': none},
    ]) %}
{% endmacro %}
