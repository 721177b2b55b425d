{# The newest recorded run of each table. #}
{% macro cdc_newest_runs_sql(recorded) -%}
select
    silver_table,
    snapshot_id,
    rows_total,
    bytes,
    data_files,
    delete_files,
    deleted_rows
from {{ recorded }}
where is_newest
{%- endmacro %}
