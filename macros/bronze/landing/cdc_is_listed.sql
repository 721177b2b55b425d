{#
    Whether the listing may have objects of a table in newer batches. A table that asks alone has to look.
#}
{% macro cdc_is_listed(cdc, after_batch_id) %}
    {% do return(cdc_asks_alone(cdc) or cdc_newest_batches(cdc).batch_id > after_batch_id | int) %}
{% endmacro %}
