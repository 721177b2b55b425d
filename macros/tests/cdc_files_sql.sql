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


{% macro _progress_sql() -%}
select *
from values
    {%- for layer in ['bronze', 'split'] %}
    {%- for node in cdc_models_of(layer) %}
    {%- set cdc, relation = node.config.meta.cdc, load_relation(cdc_relation_of(node)) %}
    {%- set batch_id = 0 if relation is none else
        cdc_last_batch_id(relation) if layer == 'bronze' else '(select coalesce(max(batch_id), 0) from ' ~ relation ~ ')' %}
    (
        {{ adapter.string_literal(cdc.feed) }},
        {{ adapter.string_literal(cdc.source_schema) if layer == 'bronze' else 'null' }},
        {{ adapter.string_literal(cdc.source_table) if layer == 'bronze' else 'null' }}, true, {{ batch_id }}
    ),
    {%- endfor %}
    {%- endfor %}
    {%- for table in cdc_tables() if not ('bronze' in table or 'split' in table) %}
    ({{ adapter.string_literal(table.feed) }}, {{ adapter.string_literal(table.source_schema) }}, {{ adapter.string_literal(table.source_table) }}, false, 0),
    {%- endfor %}
    (null, null, null, false, 0)
    as progress (feed, source_schema, source_table, is_active, batch_id)
where feed is not null
{%- endmacro %}
