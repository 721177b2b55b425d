{# Rows of rejected_files of the versions that a batch leaves out, each with its rule and reason. #}
{% macro cdc_rejections_sql(cdc, files_sql, rejections) -%}
with candidates as (
    {{ files_sql | indent(4) }}
),

reasons as (
    select *
    from values
        {%- for file in rejections %}
        (
            {{ adapter.string_literal(file.path) }},
            {{ adapter.string_literal(file.rule) }},
            {{ adapter.string_literal(file.reason) }}
        ){{ ',' if not loop.last }}
        {%- endfor %}
        as reasons (path, rule, reason)
)

select
    {{ adapter.string_literal(cdc.feed) }} as feed,
    {{ adapter.string_literal(cdc.source_schema) }} as source_schema,
    {{ adapter.string_literal(cdc.source_table) }} as source_table,
    candidates.path,
    candidates.size,
    candidates.modified_at,
    reasons.rule,
    reasons.reason,
    candidates.batch_id,
    current_timestamp() as rejected_at
from candidates
inner join reasons on candidates.path = reasons.path and candidates.is_newest = (reasons.rule <> 'replaced')
{%- endmacro %}
