{#
    Both forms end at a fixed snapshot: the merge may evaluate its source more than once, and progress must name
    exactly what was read. Where files were overwritten, the log is without superseded rows and without the markers.
#}
{% macro cdc_bronze_range_sql(bronze, from_snapshot_id, to_snapshot_id, after_batch_id, has_overwritten=false) -%}
{%- set at = bronze ~ ' version as of ' ~ to_snapshot_id -%}
select *
{%- if not to_snapshot_id %}
from {{ bronze }}
where false
{%- elif from_snapshot_id %}
from {{ adapter.appended_rows_sql(bronze, from_snapshot_id, to_snapshot_id) }}
where _cdc_quarantine_rule is null
{%- else %}
from {{ at }}{{ ' as _cdc_log' if has_overwritten }}
where _cdc_quarantine_rule is null and _cdc_batch_id > {{ after_batch_id }}
{%- if has_overwritten %}
    and _cdc_operation <> 'X'
    and not {{ cdc_is_superseded_sql('_cdc_log', at) | indent(4) }}
{%- endif %}
{%- endif %}
{%- endmacro %}
