{# << mark >> #}
{% macro cdc_tables() %}
    {% do return([
    <% for table in tables %>
        {'feed': << table.feed | literal >>, 'source_schema': << table.source_schema | literal >>, 'source_table': << table.source_table | literal >>,
         'bronze': << table.model('bronze') | literal >>, 'silver': << table.model('silver') | literal >>},
    <% endfor %>
    <% for table in inactive %>
        << {'feed': table.feed, 'source_schema': table.source_schema, 'source_table': table.source_table} | literal >>,
    <% endfor %>
    <% for feed in feeds if feed.is_multi_table %>
        <% set split = {'feed': feed.feed, 'source_schema': none, 'source_table': none, 'split': 'split_' ~ feed.feed} %>
        << (dict(split, is_kafka=true) if feed.is_kafka else split) | literal >>,
    <% endfor %>
    ]) %}
{% endmacro %}
