{# << mark >> #}
{{ config(materialized='view') }}
{{ cdc_quarantine([
<% for table in tables %>
    {
        'feed': << table.feed | literal >>,
        'source_schema': << table.source_schema | literal >>,
        'source_table': << table.source_table | literal >>,
        'relation': ref(<< table.model('bronze') | literal >>),
    },
<% endfor %>
]) }}
