{#
    The states of inputs that a text names, as common table expressions. Spark reads the snapshot of each one, also of
    one that nothing names, and that may have expired. A table that had no snapshot yet had no row.
#}
{% macro cdc_gold_states_sql(moved, text) -%}
{%- set states = [] -%}
{%- for input in moved -%}
{%- for state, snapshot_id in [('a', input.before_id), ('b', input.after_id)] -%}
{%- if input.input.is_named(state, text) -%}
    {%- do states.append(_gold_state_sql(input, state, snapshot_id)) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{{ states | join(',\n\n') }}
{%- endmacro %}


{% macro _gold_state_sql(input, state, snapshot_id) -%}
{{ input.input.name_state(state) }} as (
    {{ cdc_gold_state_sql(input.relation, snapshot_id) | indent(4) }}
)
{%- endmacro %}
