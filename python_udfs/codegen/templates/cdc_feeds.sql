{# << mark >> #}
{% macro cdc_feeds() %}
    {% do return([
    <% for feed in feeds %>
        <% set described = {'feed': feed.feed, 'location': feed.location} %>
        << (dict(described, is_kafka=true) if feed.is_kafka else described) | literal >>,
    <% endfor %>
    ]) %}
{% endmacro %}
