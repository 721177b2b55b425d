{% macro validate_cdc_history(silver) %}
    {% set columns = adapter.get_columns_in_relation(silver) | map(attribute='name') | list %}
    {% if '_cdc_valid_from' not in columns or '_cdc_valid_to' not in columns %}
        {% do exceptions.raise_compiler_error(
            'CDC error in ' ~ silver ~ ' (validate_cdc_history): mode is history, but the table has no columns _cdc_valid_from'
            ~ ' and _cdc_valid_to: it was built in another mode. It has ' ~ columns | join(', ') ~ '. Build it anew'
            ~ ' (docs/runbook.md), or set the mode back in seeds/cdc_tables.csv and run make models.'
        ) %}
    {% endif %}
{% endmacro %}
