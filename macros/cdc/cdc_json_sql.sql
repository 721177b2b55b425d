{# A nested value as read_files writes it with `nested` json: equal values have equal text. #}
{% macro cdc_json_sql(value) -%}
to_json({{ value }}, map(
            'ignoreNullFields', 'false', 'timeZone', 'UTC',
            'timestampFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSSXXX',
            'timestampNTZFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSS'
        ))
{%- endmacro %}
