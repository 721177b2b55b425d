{#
    A sentence for every text of a parquet file that is no UTF-8: Spark reads the bytes as they are, and other engines
    refuse a table that has them. Texts of CSV and of messages were judged as whole records. Sentences are made of rows
    that have such a text alone: to look for it in each row costs less.
#}
{% macro cdc_text_failures_sql(texts) -%}
if(
    {%- for text in texts %}
    coalesce({{ adapter.is_utf8_sql(text.sql) }}, true){{ ' and' if not loop.last }}
    {%- endfor %},
    cast(array() as array<string>),
    array_compact(array(
        {%- for text in texts %}
        if(
            {{ adapter.is_utf8_sql(text.sql) }},
            null,
            concat(
                {{ adapter.string_literal(text.name ~ " is '") }}, left({{ adapter.as_utf8_sql(text.sql) }}, 100),
                "' (bytes ", left(hex({{ text.sql }}), 200), '), expected text in UTF-8 (docs/feeds/dms.md, Decisions)'
            )
        ){{ ',' if not loop.last }}
        {%- endfor %}
    ))
)
{%- endmacro %}
