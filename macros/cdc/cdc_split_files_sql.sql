{# The mixed objects that have rows of this table, as cdc_new_files_sql gives files. #}
{% macro cdc_split_files_sql(split, cdc, after_batch_id, last_batch_id=none) -%}
select
    path,
    cast(null as bigint) as size,
    modified_at,
    'mixed' as kind,
    object_key,
    file_time,
    max(generation) as generation,
    max(batch_id) as batch_id,
    true as is_newest
from {{ split }}
where
    source_schema = {{ cdc_string_sql(cdc.source_schema) }}
    and source_table = {{ cdc_string_sql(cdc.source_table) }}
    and batch_id > {{ after_batch_id }}
    {%- if last_batch_id is not none %}
    and batch_id <= {{ last_batch_id }}
    {%- endif %}
group by path, modified_at, object_key, file_time
{%- endmacro %}
