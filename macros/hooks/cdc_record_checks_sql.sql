{% macro cdc_record_checks_sql(recorded, records) -%}
merge into {{ recorded }} as recorded
using (
    select
        *,
        current_timestamp() as checked_at
    from values
        {%- for record in records %}
        (
            {{ adapter.string_literal(record.silver_table) }}, {{ record.snapshot_id }}, {{ record.schema_id }},
            {{ record.bronze_snapshot_id }}, {{ record.batch_id }}, {{ adapter.string_literal(record.sequence) }},
            {{ record.is_full | lower }}
        ){{ ',' if not loop.last }}
        {%- endfor %}
        as passed (silver_table, snapshot_id, schema_id, bronze_snapshot_id, batch_id, sequence, is_full)
) as passed
on recorded.silver_table = passed.silver_table
when matched then update set
    snapshot_id = passed.snapshot_id,
    schema_id = passed.schema_id,
    bronze_snapshot_id = passed.bronze_snapshot_id,
    batch_id = passed.batch_id,
    sequence = passed.sequence,
    compared_at = if(passed.is_full, passed.checked_at, recorded.compared_at),
    checked_at = passed.checked_at
when not matched then insert (
    silver_table, snapshot_id, schema_id, bronze_snapshot_id, batch_id, sequence, compared_at, checked_at
) values (
    passed.silver_table, passed.snapshot_id, passed.schema_id, passed.bronze_snapshot_id, passed.batch_id,
    passed.sequence, passed.checked_at, passed.checked_at
)
{%- endmacro %}
