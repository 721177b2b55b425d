{# Those that are open or have yet to be reported; of those about a run all, which show what runs have been judged. #}
{% macro cdc_incidents_sql(incidents) -%}
select *
from {{ incidents }}
where
    ended_at is null
    or (end_sent_at is null and ended_at > current_timestamp() - interval 7 days)
    or kind in ('quarantine', 'log', 'snapshot')
{%- endmacro %}
