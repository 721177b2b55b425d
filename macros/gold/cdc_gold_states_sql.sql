{# Both states of each input as common table expressions. A table that had no snapshot yet had no row. #}
{% macro cdc_gold_states_sql(moved) -%}
{%- for input in moved -%}
{%- for name, snapshot_id in [(input.input.name_state('a'), input.before_id), (input.input.name_state('b'), input.after_id)] -%}
{{ name }} as (
    {{ cdc_gold_state_sql(input.relation, snapshot_id) | indent(4) }}
){{ ',\n\n' if not loop.last }}
{%- endfor -%}
{{ ',\n\n' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
