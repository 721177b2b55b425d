{# The rows that no file holds, behind the other common table expressions. #}
{% macro cdc_markers_sql(rows, last_batch_id) -%}
{%- if rows.has_truncate -%}
,

{{ cdc_truncates_sql() }}
{%- endif -%}
{%- if rows.overwritten -%}
,

{{ cdc_overwritten_sql(rows.overwritten, rows.bronze) }}
{%- endif -%}
{%- if rows.reloads -%}
,

{{ cdc_reload_rows_sql(rows.reloads, last_batch_id, rows.bronze) }}
{%- endif -%}
{%- endmacro %}
