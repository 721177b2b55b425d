{# A column of a plan. #}
{% macro given_column(name, type, raw_type, change=none, old_columns=()) %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.Column', {
        'name': name, 'type': type, 'raw_type': raw_type, 'change': change, 'old_columns': old_columns,
    })) %}
{% endmacro %}
