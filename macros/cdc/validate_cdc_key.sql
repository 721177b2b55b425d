{% macro validate_cdc_key(cdc, bronze, columns) %}
    {% set missing = cdc.primary_key | map('lower') | reject('in', columns | map('lower') | list) | list %}
    {% if columns and missing %}
        {% do exceptions.raise_compiler_error(
            'CDC error in ' ~ this ~ ' (validate_cdc_key): ' ~ bronze ~ ' has no key column ' ~ missing | join(', ')
            ~ '; it has ' ~ columns | join(', ') ~ '. Correct primary_key of ' ~ cdc.source_schema ~ '.' ~ cdc.source_table
            ~ ' in seeds/cdc_tables.csv and run make models.'
        ) %}
    {% endif %}
{% endmacro %}
