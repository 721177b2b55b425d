{# Warns of each column whose type goes beyond that of its seed: files have a wider one, and the policy follows. #}
{% macro cdc_warn_of_types(table, cdc, plan) %}
    {% set listed = {} %}
    {% for column in cdc_source_columns(cdc, {'columns': []}) if column.is_listed %}
        {% do listed.update({column.name | lower: column.type}) %}
    {% endfor %}
    {% for column in plan if column.change and listed.get(column.name | lower, column.type) != column.type %}
        {% do exceptions.warn(
            table ~ ': column ' ~ column.name ~ ' becomes ' ~ column.type ~ ', expected ' ~ listed[column.name | lower]
            ~ ' (seeds/cdc_columns.csv): the files have that type, and schema_drift is evolve. Correct data_type.'
        ) %}
    {% endfor %}
{% endmacro %}
