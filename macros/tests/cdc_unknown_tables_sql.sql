{#
    Tables in multi-table files that have no metadata, with the number of their records. Records that do not name their
    table have no name here. Messages about no table were set aside.
#}
{% macro cdc_unknown_tables_sql(splits) -%}
{%- for split in splits %}
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
    {%- if split.connector != 'dms' %}
    and set_aside is null
    {%- endif %}
    {%- if split.tables %}
    and not coalesce(
        {%- for table in split.tables %}
        (source_schema = {{ adapter.string_literal(table.source_schema) }} and source_table = {{ adapter.string_literal(table.source_table) }})
        {{- ' or' if not loop.last }}
        {%- endfor %},
        false
    )
    {%- endif %}
group by source_schema, source_table
{{ 'union all' if not loop.last }}
{%- else %}
select
    cast(null as string) as feed,
    cast(null as string) as source_schema,
    cast(null as string) as source_table,
    0 as records,
    cast(null as string) as example
where false
{%- endfor %}
{%- endmacro %}
