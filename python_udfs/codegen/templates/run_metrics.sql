{# << mark >> #}
{{ config(materialized='view') }}
{{ cdc_run_metrics([
<% for table in tables %>
    {
        'feed': << table.feed | literal >>,
        'source_schema': << table.source_schema | literal >>,
        'source_table': << table.source_table | literal >>,
        'silver': ref(<< table.model('silver') | literal >>),
    },
<% endfor %>
]) }}
