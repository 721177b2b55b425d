{# What a row of parquet holds, as text. Written for rows in quarantine alone: it costs more than to read the row. #}
{% macro cdc_parquet_content_sql() -%}
to_json(
    _cdc_content,
    map(
        'timestampFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
        'timestampNTZFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
    )
)
{%- endmacro %}
