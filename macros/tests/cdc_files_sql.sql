{#
    What raw_processed_files shows, with the progress that this command reads from the tables' metadata: the view has a query
    for each table.
#}
{% macro cdc_files_sql(listing, rejected_files) -%}
{%- set notes = adapter.notes('progress') if execute and flags.WHICH in ['test', 'build'] else {'sql': 'select 1'} -%}
{%- if not notes -%}
    {%- do notes.update({'sql': _progress_sql()}) -%}
{%- endif -%}
with progress as (
    {{ notes.sql | indent(4) }}
),

{{ cdc_file_status_sql(listing, rejected_files) }}
{%- endmacro %}


{# One row per table, and one per split table: Spark takes no query among the values of a list. #}
{% macro _progress_sql() -%}
select *
from values
    {%- for node in cdc_models_of('bronze') %}
    {%- set cdc, relation = node.config.meta.cdc, load_relation(cdc_relation_of(node)) %}
    (
        {{ adapter.string_literal(cdc.feed) }}, {{ adapter.string_literal(cdc.source_schema) }},
        {{ adapter.string_literal(cdc.source_table) }}, true, {{ cdc_last_batch_id(relation) }}
    ),
    {%- endfor %}
    {%- for table in cdc_tables() if not ('bronze' in table or 'split' in table) %}
    (
        {{ adapter.string_literal(table.feed) }}, {{ adapter.string_literal(table.source_schema) }},
        {{ adapter.string_literal(table.source_table) }}, false, 0
    ),
    {%- endfor %}
    (null, null, null, false, 0)
    as progress (feed, source_schema, source_table, is_active, batch_id)
where feed is not null
{%- for node in cdc_models_of('split') %}
{%- set relation = load_relation(cdc_relation_of(node)) %}
union all
select
    {{ adapter.string_literal(node.config.meta.cdc.feed) }} as feed,
    null as source_schema,
    null as source_table,
    true as is_active,
    {{ 'coalesce(max(batch_id), 0)' if relation is not none else '0' }} as batch_id
{{ 'from ' ~ relation if relation is not none }}
{%- endfor %}
{%- endmacro %}
