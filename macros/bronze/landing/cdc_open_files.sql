{# A view over files, for a command that writes nothing. #}
{% macro cdc_open_files(cdc, view, paths, verify) %}
    {% do return(adapter.call_function('python_udfs.pipeline.reading.open_files', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'view': view, 'paths': paths, 'verify': verify,
    })) %}
{% endmacro %}
