{#
    How many keys have different changes at one source position, with nothing but a hash to order them: in files of one
    position, or in different partitions of a topic. Each counts in the run that brought the last of them. Offsets order
    messages of one partition (record 64). Files and rows are compared by their hashes: a load is in many files of one
    source position, and counting distinct rows would sort it. A hash passes over nulls, so each null is hashed as a
    flag.
#}
{% macro cdc_ties_sql(cdc, log_sql, where_sql, plan, after_batch_id) -%}
{%- set file = cdc_sequence_part('_cdc_sequence', 'file') -%}
{%- set partition = cdc_sequence_part('_cdc_sequence', 'partition') -%}
with log as (
    {{ log_sql | indent(4) }}
),

hashed as (
    select
        *,
        {{ cdc_sequence_part('_cdc_sequence', 'source_position') }} as _cdc_source_position,
        xxhash64(if(startswith({{ file }}, 'o'), {{ partition }}, {{ file }})) as _cdc_order_hash,
        xxhash64(
            {%- for column in plan if column.raw_type is not none %}
            {{ adapter.quote(column.name) }}, {{ adapter.quote(column.name) }} is null,
            {%- endfor %}
            _cdc_operation
        ) as _cdc_row_hash
    from log
    where {{ where_sql }}
),

tied as (
    select _cdc_source_position
    from hashed
    group by {{ cdc_key_list_sql(cdc) }}, _cdc_source_position
    having
        max(_cdc_batch_id) > {{ after_batch_id }}
        and min(_cdc_order_hash) <> max(_cdc_order_hash)
        and min(_cdc_row_hash) <> max(_cdc_row_hash)
)

select count(*) as ties
from tied
{%- endmacro %}
