{# << mark >> #}
{{ config(materialized='view') }}
{{ cdc_silver_sync_state([
<% for table in tables %>
    {
        'feed': << table.feed | literal >>,
        'source_schema': << table.source_schema | literal >>,
        'source_table': << table.source_table | literal >>,
        'bronze': ref(<< table.model('bronze') | literal >>),
        'silver': ref(<< table.model('silver') | literal >>),
    },
<% endfor %>
]) }}
