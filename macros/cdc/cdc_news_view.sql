{# The temporary view of the changes that a batch brings to a silver table. #}
{% macro cdc_news_view(silver) %}
    {% do return(cdc_quote(silver.identifier ~ '__news')) %}
{% endmacro %}
