{#
    How many keys have different changes at one source position, in files without an order among themselves. Each counts
    in the run that brought the last of them. Files and rows are compared by their hashes: a load is in many files of one
    source position, and counting distinct rows would sort it. A hash passes over nulls, so each null is hashed as a flag. The
    positions are those of the listing, without the generation.
#}
{% macro cdc_ties_sql(cdc, log_sql, positions, plan, after_batch_id) -%}
{%- set source_position = cdc_sequence_part('_cdc_sequence', 'source_position') -%}
{%- set row_hash -%}
xxhash64(_cdc_operation
    {%- for column in plan if column.raw_type is not none %}
    {%- set name = adapter.quote(column.name) %}, {{ name }}, {{ name }} is null
    {%- endfor %})
{%- endset -%}
{%- set file_hash = 'xxhash64(' ~ cdc_sequence_part('_cdc_sequence', 'file_hash') ~ ')' -%}
with log as (
    {{ log_sql | indent(4) }}
),

tied as (
    select {{ source_position }} as source_position
    from log
    where {{ cdc_sequence_part('_cdc_sequence', 'listed_position') }} in (
        {%- for position in positions %}{{ adapter.string_literal(position) }}{{ ', ' if not loop.last }}{% endfor -%}
    )
    group by {{ cdc_key_list_sql(cdc) }}, {{ source_position }}
    having
        max(_cdc_batch_id) > {{ after_batch_id }}
        and min({{ file_hash }}) <> max({{ file_hash }})
        and min({{ row_hash }}) <> max({{ row_hash }})
)

select count(*) as ties
from tied
{%- endmacro %}
