{# The messages of one table that batches bring. #}
{% macro cdc_messages_sql(split, cdc, after_batch_id, last_batch_id=none) -%}
select
    {{ cdc_message_columns() | join(',\n    ') }},
    batch_id,
    1 as generation,
    transform_keys(image, (name, value) -> lower(name)) as image,
    transform_keys(before, (name, value) -> lower(name)) as before,
    transform(unavailable, name -> lower(name)) as unavailable
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id, last_batch_id) | indent(4) }}
    and file_row < {{ cdc_marker_row() }}
{%- endmacro %}
