{# A run that a rollback or a rebuild took from its table is left out. #}
{% macro cdc_report_runs_sql(run_metrics, runs) -%}
with numbered as (
    select
        *,
        row_number() over (partition by silver_table order by committed_at desc) as number
    from {{ run_metrics }}
    where is_current
)

select
    feed,
    silver_table,
    committed_at,
    batch_id,
    changes,
    rows_inserted,
    rows_updated,
    rows_deleted,
    rows_total,
    ties,
    not_applied,
    newest_committed_at,
    rows_quarantined,
    run_seconds,
    bytes,
    data_files,
    delete_files,
    deleted_rows
from numbered
where number <= {{ runs }}
order by silver_table, committed_at
{%- endmacro %}
