{% macro cdc_reject_files_sql(rejected, cdc, files_sql, rule, files) -%}
insert into {{ rejected }}
with files as (
    {{ files_sql | indent(4) }}
),

reasons as (
    select *
    from values
        {%- for file in files %}
        ({{ cdc_string_sql(file.path) }}, {{ cdc_string_sql(file.reason) }}){{ ',' if not loop.last }}
        {%- endfor %}
        as reasons (path, reason)
)

select
    {{ cdc_string_sql(cdc.feed) }} as feed,
    {{ cdc_string_sql(cdc.source_schema) }} as source_schema,
    {{ cdc_string_sql(cdc.source_table) }} as source_table,
    files.path,
    files.size,
    files.modified_at,
    {{ cdc_string_sql(rule) }} as rule,
    reasons.reason,
    files.batch_id,
    current_timestamp() as rejected_at
from files
inner join reasons on files.path = reasons.path
where files.is_newest = {{ 'false' if rule == 'replaced' else 'true' }}
{%- endmacro %}
