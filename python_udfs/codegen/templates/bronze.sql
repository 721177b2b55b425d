{# << mark >> #}
{{ config(
    alias=<< table.target_table | literal >>,
    tags=[<< ('feed:' ~ table.feed) | literal >>],
    meta={'cdc': {
        'layer': 'bronze',
        'feed': << table.feed | literal >>,
        'connector': << feed.connector | literal >>,
        'format': << feed.format | literal >>,
        'source_schema': << table.source_schema | literal >>,
        'source_table': << table.source_table | literal >>,
        <% if feed.is_multi_table %>
        'split': << ('split_' ~ feed.feed) | literal >>,
        <% if feed.is_kafka %>
        'is_kafka': true,
        <% endif %>
        <% endif %>
        'primary_key': << table.primary_key | literal >>,
        'schema_drift': << table.schema_drift | literal >>,
        'renamed_columns': << dict(table.renamed_columns) | literal >>,
        'vanished_files': << table.vanished_files | literal >>,
        'options': {
        <% for key, value in options.items() %>
            << key | literal >>: << value | literal >>,
        <% endfor %>
        },
        <% if table.columns | selectattr('data_type') | list %>
        'columns': [
        <% for column in table.columns if column.data_type %>
            {'name': << column.name | literal >>, 'type': << column.data_type | literal >>, 'optional': << column.optional | literal >>},
        <% endfor %>
        ],
        <% else %>
        'columns': [],
        <% endif %>
    }}
) }}
-- depends_on: {{ ref('raw_listing') }}
-- depends_on: {{ ref('rejected_files') }}
<% if feed.is_multi_table %>
-- depends_on: {{ ref(<< ('split_' ~ feed.feed) | literal >>) }}
<% endif %>
select *
from {{ source(<< table.feed | literal >>, << table.target_table | literal >>) }}
