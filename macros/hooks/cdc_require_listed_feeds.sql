{#
    Ends raw_listing with an error where a feed could not be listed: such a feed looks up to date. Its rows of the other
    feeds are written, so that nothing is skipped for the error.
#}
{% macro cdc_require_listed_feeds() %}
    {% set unlisted = run_query('set cdc.unlisted.feeds').rows[0]['value'] if execute else '' %}
    {% if unlisted not in ['', '<undefined>'] %}
        {% do adapter.notes('incomplete').update({model.unique_id: true}) %}
        {% do exceptions.raise_compiler_error(unlisted) %}
    {% endif %}
{% endmacro %}
