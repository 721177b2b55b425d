{# The columns of files beside those of their table, by the macros that decide in a run. #}
{% macro cdc_drift_columns(cdc, raw, columns) %}
    {% set names = columns | map(attribute='name') | map('lower') | list %}
    {% set types, renamed, target, of_files = {}, {}, [], [] %}
    {% for column in columns if not column.name.startswith('_cdc_') %}
        {% set name = cdc_new_name(cdc, column.name) %}
        {% do renamed.update({column.name: name}) if name | lower not in names %}
        {% set renamed_column = {'name': renamed.get(column.name, column.name), 'dtype': column.dtype} %}
        {% do target.append(adapter.call_function('python_udfs.pipeline.columns.ExistingColumn', renamed_column)) %}
        {% do types.update({target[-1].name | lower: column.dtype | lower}) %}
    {% endfor %}
    {% for column in cdc_source_columns(cdc, raw) %}
        {% do of_files.append({
            'name': column.name,
            'types': column.types or [column.type],
            'table_type': types.get(column.name | lower),
            'is_listed': column.is_listed,
        }) %}
    {% endfor %}
    {% do return({'has_columns': target != [], 'renamed': renamed, 'columns': of_files, 'target': target}) %}
{% endmacro %}
