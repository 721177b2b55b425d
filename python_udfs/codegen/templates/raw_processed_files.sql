{# << mark >> #}
{{ config(materialized='view') }}
{{ cdc_raw_processed_files(
    bronze=[
    <% for table in tables %>
        {
            'feed': << table.feed | literal >>,
            'source_schema': << table.source_schema | literal >>,
            'source_table': << table.source_table | literal >>,
            'relation': ref(<< table.model('bronze') | literal >>),
        },
    <% endfor %>
    ],
    inactive=[
    <% for table in inactive %>
        {
            'feed': << table.feed | literal >>,
            'source_schema': << table.source_schema | literal >>,
            'source_table': << table.source_table | literal >>,
        },
    <% endfor %>
    ],
    split=[
    <% for feed in feeds if feed.is_mixed %>
        {
            'feed': << feed.feed | literal >>,
            'relation': ref(<< ('split_' ~ feed.feed) | literal >>),
        },
    <% endfor %>
    ]
) }}
