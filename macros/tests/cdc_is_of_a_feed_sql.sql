{#
    Whether a row is of a feed in seeds/cdc_feeds.csv: the listing keeps what retired feeds had, and nobody can end a
    warning about them.
#}
{% macro cdc_is_of_a_feed_sql(feed='feed') -%}
{{ feed }} in (
    {%- for listed in cdc_feeds() %}
    {{ adapter.string_literal(listed.feed) }},
    {%- endfor %}
    '' {#- no feed has no name -#}
)
{%- endmacro %}
