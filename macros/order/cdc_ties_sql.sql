{#
    How many keys have different changes at one source position, with nothing but a hash to order them: in files of one
    position, or in different partitions of a topic. Each counts in the run that brought the last of them. Offsets order
    messages of one partition (record 64). Files and rows are compared by their hashes: a load is in many files of one
    source position, and counting distinct rows would sort it. A hash passes over nulls, so each null is hashed as a flag.
#}
{% macro cdc_ties_sql(cdc, log_sql, where_sql, plan, after_batch_id) -%}
{%- set source_position = cdc_sequence_part('_cdc_sequence', 'source_position') -%}
{%- set row_hash -%}
xxhash64(_cdc_operation
    {%- for column in plan if column.raw_type is not none %}
    {%- set name = adapter.quote(column.name) %}, {{ name }}, {{ name }} is null
    {%- endfor %})
{%- endset -%}
{%- set file = cdc_sequence_part('_cdc_sequence', 'file') -%}
{%- set partition = cdc_sequence_part('_cdc_sequence', 'partition') -%}
{%- set order_hash = 'xxhash64(if(startswith(' ~ file ~ ", 'o'), " ~ partition ~ ', ' ~ file ~ '))' -%}
with log as (
    {{ log_sql | indent(4) }}
),

tied as (
    select {{ source_position }} as source_position
    from log
    where {{ where_sql }}
    group by {{ cdc_key_list_sql(cdc) }}, {{ source_position }}
    having
        max(_cdc_batch_id) > {{ after_batch_id }}
        and min({{ order_hash }}) <> max({{ order_hash }})
        and min({{ row_hash }}) <> max({{ row_hash }})
)

select count(*) as ties
from tied
{%- endmacro %}
