{#
    The columns of the raw view that hold a column of the table, or a before image of its key, as entries of a plan: one
    for each type that files have it in, and for each name where it was renamed; the name that it has now goes first.
#}
{% macro cdc_parquet_parts(cdc, raw, column) %}
    {% set is_image = column.key is not none %}
    {% set is_renamed = cdc.renamed_columns and not is_image %}
    {% set names = cdc_names_in_files(cdc, column.name) if is_renamed else [column.name | lower] %}
    {% set candidates = raw.columns if is_image else raw.source_parts | default(none) %}
    {% set candidates = cdc_source_parts(cdc, raw.columns) if candidates is none else candidates %}
    {% set parts = [] %}
    {% for name in names %}
        {% for part in candidates if part.name | lower == name and part.type != 'void' %}
            {% do parts.append(adapter.call_function('python_udfs.pipeline.columns.read_part', {
                'column': column, 'sql': 'raw.' ~ adapter.quote(part.get('column', part.name)), 'raw_type': part.type,
            })) %}
        {% endfor %}
    {% endfor %}
    {% do return(parts) %}
{% endmacro %}
