{# Those that are open, and the newest ones that are over: failed runs among the last runs of a table. #}
{% macro cdc_report_incidents_sql(incidents) -%}
select *
from {{ incidents }}
where ended_at is null or ended_at > current_timestamp() - interval 30 days
order by opened_at
{%- endmacro %}
