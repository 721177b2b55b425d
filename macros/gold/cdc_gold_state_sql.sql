{# The rows that an input has in a snapshot; 0: none yet; none: it is no table with snapshots. #}
{% macro cdc_gold_state_sql(relation, snapshot_id) -%}
select *
from {{ relation }}
{%- if snapshot_id == 0 %}
where false
{%- elif snapshot_id is not none %} version as of {{ snapshot_id }}
{%- endif %}
{%- endmacro %}
