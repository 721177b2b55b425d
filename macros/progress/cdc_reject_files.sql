{#
    A rejection is committed before the batch that leaves the file out: after a crash between the two the file
    is still rejected, and the other way round it would be lost.
#}
{% macro cdc_reject_files(cdc, files_sql, rule, files) %}
    {% if files %}
        {% do adapter.notes('rejected').update({this | string: true}) %}
        {% do run_query(_reject_files_sql(ref('rejected_files'), cdc, files_sql, rule, files)) %}
    {% endif %}
{% endmacro %}


{% macro _reject_files_sql(rejected, cdc, files_sql, rule, files) -%}
insert into {{ rejected }}
with files as (
    {{ files_sql | indent(4) }}
),

reasons as (
    select *
    from values
        {%- for file in files %}
        ({{ adapter.string_literal(file.path) }}, {{ adapter.string_literal(file.reason) }}){{ ',' if not loop.last }}
        {%- endfor %}
        as reasons (path, reason)
)

select
    {{ adapter.string_literal(cdc.feed) }} as feed,
    {{ adapter.string_literal(cdc.source_schema) }} as source_schema,
    {{ adapter.string_literal(cdc.source_table) }} as source_table,
    files.path,
    files.size,
    files.modified_at,
    {{ adapter.string_literal(rule) }} as rule,
    reasons.reason,
    files.batch_id,
    current_timestamp() as rejected_at
from files
inner join reasons on files.path = reasons.path
where files.is_newest = {{ 'false' if rule == 'replaced' else 'true' }}
{%- endmacro %}
