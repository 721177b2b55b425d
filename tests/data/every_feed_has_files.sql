{#
    A feed that has never listed a file: its tables are built empty. Either nothing has landed yet, or its location in
    seeds/cdc_feeds.csv is another one than the files'.
#}
{{ config(severity='warn') }}
-- depends_on: {{ ref('raw_processed_files') }}
{{ cdc_blocks_nothing() }}
{%- set feeds, listing = cdc_feeds() if cdc_is_test() else [], ref('raw_listing') %}
{%- if feeds | rejectattr('is_kafka', 'defined') | list %}
select
    feeds.feed,
    feeds.location
from values
    {%- for feed in feeds | rejectattr('is_kafka', 'defined') %}
    ({{ adapter.string_literal(feed.feed) }}, {{ adapter.string_literal(feed.location) }}){{ ',' if not loop.last }}
    {%- endfor %}
    as feeds (feed, location)
left anti join {{ listing }} as listing on feeds.feed = listing.feed
{%- endif %}
