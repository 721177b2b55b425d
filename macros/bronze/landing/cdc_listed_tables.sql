{# The tables of the listing, by feed, schema and table: one query of a command, for bronze, silver and the data tests. #}
{% macro cdc_listed_tables(listing) %}
    {% do return(adapter.call_function('python_udfs.pipeline.files.read_listed_tables', {
        'warehouse': adapter, 'sql': context, 'listing': listing,
    })) %}
{% endmacro %}
