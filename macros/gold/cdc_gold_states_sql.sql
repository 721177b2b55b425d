{# Both states of each input as common table expressions. A table that had no snapshot yet had no row. #}
{% macro cdc_gold_states_sql(moved) -%}
{%- for input in moved -%}
{%- for state, snapshot_id in [('a', input.before_id), ('b', input.after_id)] -%}
{{ input.input.name_state(state) }} as (
    {{ cdc_gold_state_sql(input.relation, snapshot_id) | indent(4) }}
){{ ',\n\n' if not loop.last }}
{%- endfor -%}
{{ ',\n\n' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
