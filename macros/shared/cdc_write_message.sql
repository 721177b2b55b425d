{# What dbt's log shows of a write: its way and why, as in `merge: 3 changes, some late`. #}
{% macro cdc_write_message(way, number, noun, reasons) %}
    {% set counted = [number ~ ' ' ~ noun ~ ('' if number == 1 else 's')] if number else [] %}
    {% do return(way ~ ': ' ~ ((counted + reasons) | join(', ') or 'no ' ~ noun ~ 's')) %}
{% endmacro %}
