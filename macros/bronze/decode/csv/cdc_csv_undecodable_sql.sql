{#
    The branches of a case that a record takes which is no text in the charset of its feed, or has no header. To match a pattern Spark has
    read another character for its wrong bytes by then, which shows the field.
#}
{% macro cdc_csv_undecodable_sql(cdc) -%}
{%- set charset = cdc.options.charset -%}
{%- set is_wrong = "field -> contains(field, '\\ufffd')" -%}
when not is_valid_utf8(_cdc_content)
                then concat(
                    'field ', array_position(transform(_cdc_fields, {{ is_wrong }}), true), " is '",
                    left(filter(_cdc_fields, {{ is_wrong }})[0], 100), "', ",
                    {{ adapter.string_literal('expected text in ' ~ charset ~ ': name the encoding of the files in the option charset') }}
                )
{%- if cdc.options.header %}
            when exists(_cdc_names, {{ is_wrong }})
                then {{ adapter.string_literal('a name in the header is no text in ' ~ charset ~ ': name the encoding of the files in the option charset') }}
            when {{ cdc_csv_no_header_sql(cdc) }}
                then 'the first line names no column of the table, expected a header: set header=false if the files have none'
{%- endif -%}
{%- endmacro %}
