{# << mark >> #}
{% macro cdc_seed_checksums() %}
    {% do return({
    <% for seed, checksum in checksums.items() %>
        << seed | literal >>: << checksum | literal >>,
    <% endfor %>
        'cdc_readers': << readers | literal >>,
    }) %}
{% endmacro %}
