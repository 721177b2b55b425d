{# The multi-table files that have rows of this table, as cdc_new_files_sql gives files. #}
{% macro cdc_split_files_sql(split, cdc, after_batch_id) -%}
select
    path,
    cast(null as bigint) as size,
    modified_at,
    cast(max(file_row) = {{ cdc_marker_row() }} as int) as revision,
    'multi_table' as kind,
    file_key,
    file_time,
    1 as generation,
    max(batch_id) as batch_id,
    true as is_newest
    {%- if cdc.format == 'json' %},
    {%- set keys = adapter.call_function('python_udfs.pipeline.files.name_message_keys', {'cdc': cdc}) %}
    {{ cdc_message_facts_sql(keys) | indent(4) }}
    {%- endif %}
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id) | indent(4) }}
group by path, modified_at, file_key, file_time
{%- endmacro %}
