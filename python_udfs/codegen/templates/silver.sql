{# << mark >> #}
<% if table.avoided %>
{# Not merge-on-read, because of programs that read the table (docs/cluster/readers.md):
<% for limit in table.avoided %>
   << limit.feature.words >>: << limit.reader >> << limit.effect >>.
<% endfor %>
#}
<% endif %>
{{ config(
    alias=<< table.target_table | literal >>,
    tags=[<< ('feed:' ~ table.feed) | literal >>],
    <% if table.mode != 'append' %>
    unique_key=<< table.primary_key | literal >>,
    <% endif %>
    <% if table.mode == 'current' and table.primary_key | length == 1 %>
    identifier_fields=<< table.primary_key | literal >>,
    <% endif %>
    <% if table.partition_by %>
    partition_by=<< table.partition_by | map(attribute='sql') | list | literal >>,
    <% endif %>
    tblproperties={
    <% for key, value in table_properties.items() %>
        << key | literal >>: << value | literal >>,
    <% endfor %>
    },
    meta={'cdc': {
        'layer': 'silver',
        'feed': << table.feed | literal >>,
        'source_schema': << table.source_schema | literal >>,
        'source_table': << table.source_table | literal >>,
        'primary_key': << table.primary_key | literal >>,
        'mode': << table.mode | literal >>,
        'delete_mode': << table.delete_mode | literal >>,
        'key_comparison': << table.key_comparison | literal >>,
        'unchanged_rows': << table.unchanged_rows | literal >>,
        'schema_drift': << table.schema_drift | literal >>,
        'renamed_columns': << dict(table.renamed_columns) | literal >>,
    }}
) }}
select *
from {{ ref(<< table.model('bronze') | literal >>) }}
