{# The names that all messages have which carry a row; a delete may carry its key only. #}
{% macro cdc_message_names_sql(cdc, split, after_batch_id) -%}
select to_json(array_distinct(flatten(collect_set(map_keys(image))))) as names
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id) | indent(4) }}
    and (kind = 'load' or upper(trim(operation)) in ('I', 'U'))
{%- endmacro %}
