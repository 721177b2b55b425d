{# Of each silver table the newest run, and the newest ones with rows in quarantine or an order in doubt. #}
{% macro cdc_incident_runs_sql(run_metrics) -%}
select
    silver_table,
    max(committed_at) as committed_at,
    max_by(newest_committed_at, committed_at) as newest_committed_at,
    max(committed_at) filter (where rows_quarantined > 0) as quarantined_at,
    max_by(rows_quarantined, committed_at) filter (where rows_quarantined > 0) as rows_quarantined,
    max(committed_at) filter (where second_snapshot) as second_snapshot_at,
    max(committed_at) filter (where log_began_again) as log_began_again_at
from {{ adapter.scan_sql(run_metrics) }}
where is_current and (is_newest or rows_quarantined > 0 or second_snapshot or log_began_again)
group by silver_table
{%- endmacro %}
