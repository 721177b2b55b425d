{#
    Spark refuses some casts outright, such as a date to a number, and one odd file would stop its table. Between
    types that are not of one kind the way goes through text, so that every value gets its chance and its own
    verdict.
#}
{% macro cdc_is_direct_cast(from_type, to_type) %}
    {% set numbers = ['tinyint', 'smallint', 'int', 'bigint', 'float', 'double', 'decimal'] %}
    {% set times = ['date', 'timestamp', 'timestamp_ntz'] %}
    {% set from_kind, to_kind = from_type.split('(')[0], to_type.split('(')[0] %}
    {% do return(
        'string' in [from_kind, to_kind]
        or (from_kind in numbers and to_kind in numbers)
        or (from_kind in times and to_kind in times)
    ) %}
{% endmacro %}
