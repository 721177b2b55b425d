{# The unread files of a reload that have not come again since. #}
{% macro cdc_still_unread_sql(versions, unread) -%}
with files as (
    select explode(from_json(
        {{ adapter.string_literal(unread) }}, 'array<struct<file_key: string, modified_millis: bigint>>'
    )) as file
)

select to_json(array_sort(collect_set(files.file))) as unread
from files
left anti join {{ versions }} as judged
    on
        judged.kind = 'load'
        and files.file.file_key = judged.file_key
        and files.file.modified_millis < unix_millis(judged.modified_at)
        and coalesce(judged.rule, '') not in ('unreadable', 'replaced')
{%- endmacro %}
