{# Only a rollback or a rebuild changes rows other than the newest of each table; a compaction changes its files. #}
{% macro cdc_record_runs_sql(recorded, runs_sql, new_runs) -%}
merge into {{ recorded }} as recorded
using (
    {{ runs_sql | indent(4) }}
) as new
on
    recorded.silver_table = new.silver_table
    and recorded.snapshot_id = new.snapshot_id
    {%- if not new_runs.has_gone %}
    and recorded.is_newest
    {%- endif %}
when matched then update set
    is_current = new.is_current,
    is_newest = new.is_newest,
    bytes = coalesce(new.bytes, recorded.bytes),
    data_files = coalesce(new.data_files, recorded.data_files),
    delete_files = coalesce(new.delete_files, recorded.delete_files),
    deleted_rows = coalesce(new.deleted_rows, recorded.deleted_rows)
when not matched then insert *
{%- if new_runs.replaced %}
when not matched by source and recorded.silver_table in (
    {%- for name in new_runs.replaced %}{{ adapter.string_literal(name) }}{{ ', ' if not loop.last }}{% endfor -%}
) then update set
    is_current = false,
    is_newest = false
{%- endif %}
{%- endmacro %}
