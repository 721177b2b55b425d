{#
    Tables in multi-table files that have no metadata, with the number of their records. Records that do not name their
    table have no name here. Messages about no table were set aside.
#}
{% macro cdc_unknown_tables_sql(split) -%}
select
    {{ adapter.string_literal(split.feed) }} as feed,
    source_schema,
    source_table,
    count(*) as records,
    min(path) as example
from {{ split.relation }} as records
where
    file_row < {{ cdc_marker_row() }}
    and not exists (
        select 1
        from {{ split.relation }} as marker
        where
            marker.file_row = {{ cdc_marker_row() }}
            and marker.path = records.path
            and marker.modified_at > records.modified_at
    )
    {{ 'and set_aside is null' if split.has_set_aside }}
    and not coalesce({{ split.listed | join(' or ') or 'false' }}, false)
group by source_schema, source_table
{%- endmacro %}
