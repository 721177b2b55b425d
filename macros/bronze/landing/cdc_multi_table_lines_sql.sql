{# Records of multi-table files in the form of lines: a record that holds line breaks is one of them. #}
{% macro cdc_multi_table_lines_sql(split, cdc, after_batch_id, last_batch_id, lines=none) -%}
{%- if lines is not none %}
select
    _file_path,
    _file_modified_at,
    _file_row,
    value
from {{ lines }}
union all
{%- endif %}
select
    path as _file_path,
    modified_at as _file_modified_at,
    file_row as _file_row,
    content as value
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id, last_batch_id) | indent(4) }}
    and file_row < {{ cdc_marker_row() }}
{%- endmacro %}
