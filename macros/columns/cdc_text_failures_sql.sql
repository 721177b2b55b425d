{#
    A sentence for every text of a parquet file that is no UTF-8: Spark reads the bytes as they are, and other engines
    refuse a table that has them. Texts of CSV and of messages were judged as whole records. Sentences are made of rows
    that have such a text alone: to look for it in each row costs less.
#}
{% macro cdc_text_failures_sql(plan) -%}
{%- set is_valid, sentences = [], [] -%}
{%- for column in plan if column.type == 'string' and column.raw_type in ['string', 'binary'] -%}
    {%- set name, value = adapter.string_literal(column.name), adapter.quote(column.name) -%}
    {%- set text = value if column.raw_type == 'string' else 'cast(' ~ value ~ ' as string)' -%}
    {%- do is_valid.append('coalesce(is_valid_utf8(' ~ text ~ '), true)') -%}
    {%- do sentences.append(
        'if(is_valid_utf8(' ~ text ~ '), null, concat(' ~ name ~ ", ' is ''', left(make_valid_utf8(" ~ text ~ "), 100), ''' (bytes ',"
        ~ ' left(hex(' ~ value ~ "), 200), '), expected text in UTF-8 (docs/feeds/dms.md, Decisions)'))"
    ) -%}
{%- endfor -%}
{%- if not is_valid -%}
cast(array() as array<string>)
{%- else -%}
if(
            {{ is_valid | join(' and ') }},
            cast(array() as array<string>),
            array_compact(array({{ sentences | join(', ') }}))
        )
{%- endif -%}
{%- endmacro %}
