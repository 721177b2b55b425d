{% macro validate_cdc_renames(cdc, bronze, silver, bronze_columns, silver_columns) %}
    {% set types = {} %}
    {% for column in bronze_columns %}
        {% do types.update({column.name | lower: column.dtype | lower}) %}
    {% endfor %}
    {% set in_silver = silver_columns | map(attribute='name') | map('lower') | list %}
    {% set problems = [] %}
    {% for old, new in cdc.get('renamed_columns', {}).items() %}
        {% if old | lower in in_silver and new | lower in in_silver %}
            {% do problems.append(
                silver ~ ' has both columns ' ~ old ~ ' and ' ~ new ~ ', expected ' ~ new ~ ' only.'
                ~ " Rebuild it from bronze: dbt run-operation rebuild_silver --args '{table: " ~ silver.identifier ~ "}'."
            ) %}
        {% endif %}
        {% set old_type, new_type = types.get(old | lower), types.get(new | lower) %}
        {% if old_type and new_type and old_type != new_type and not adapter.is_type_promotion(old_type, new_type) %}
            {% do problems.append(
                bronze ~ ' has ' ~ old ~ ' ' ~ old_type ~ ' and ' ~ new ~ ' ' ~ new_type ~ ', expected one type.'
                ~ ' They cannot be read as one column: take ' ~ old ~ '=' ~ new ~ ' out of renamed_columns.'
            ) %}
        {% endif %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            'CDC error in ' ~ silver ~ ' (validate_cdc_renames): renamed_columns of ' ~ cdc.source_schema ~ '.'
            ~ cdc.source_table ~ ' in seeds/cdc_tables.csv: ' ~ problems | join(' ')
        ) %}
    {% endif %}
{% endmacro %}
