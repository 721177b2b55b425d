{# Tables without a model are left out: one that a new feed has replaced keeps its last run. #}
{% macro cdc_doubted_runs_sql(run_metrics, mark) -%}
select
    silver_table,
    committed_at,
    batch_id
from {{ run_metrics }}
where
    is_newest
    and {{ mark }}
    and silver_table in (
        {%- for node in cdc_models_of('silver') %}
        {{ adapter.string_literal(node.relation) }},
        {%- endfor %}
        '' {#- no table has no name -#}
    )
{%- endmacro %}
