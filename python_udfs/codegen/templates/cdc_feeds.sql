{# << mark >> #}
{% macro cdc_feeds() %}
    {% do return([
    <% for feed in feeds %>
        << feed.feed | literal >>,
    <% endfor %>
    ]) %}
{% endmacro %}
