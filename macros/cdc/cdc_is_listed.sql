{#
    Whether the listing has objects of a table in newer batches. A table whose records are split from objects of many
    tables has to look.
#}
{% macro cdc_is_listed(cdc, after_batch_id) %}
    {% do return(cdc_split_of(cdc) is not none or cdc_newest_batches(cdc).batch_id > after_batch_id | int) %}
{% endmacro %}
