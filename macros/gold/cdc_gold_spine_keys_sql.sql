{# The keys of the spine that changed rows lead to: by their own key, or by each query that leads from them. #}
{% macro cdc_gold_spine_keys_sql(branch, moved) -%}
{%- set queries = [] -%}
{%- for route in branch.routes -%}
{%- for input in moved if input.number == route.leaf.input.number and input.changed.view -%}
{%- if not route.texts -%}
    {%- do queries.append(_gold_own_keys_sql(route.leaf, input)) -%}
{%- endif -%}
{%- for text in route.texts -%}
    {%- do queries.append(_gold_routed_keys_sql(branch, route.leaf, text, input)) -%}
{%- endfor -%}
{%- endfor -%}
{%- endfor -%}
{{ queries | join('\nunion\n') }}
{%- endmacro %}


{% macro _gold_own_keys_sql(leaf, input) -%}
select
    {%- for column in leaf.input.key %}
    {{ adapter.quote(column) }} as {{ leaf.key_names[loop.index0] }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ adapter.quote(input.changed.view) }}
{%- endmacro %}


{% macro _gold_routed_keys_sql(branch, leaf, text, input) -%}
select {{ branch.spine.key_names | join(', ') }}
from (
    {{ text | indent(4) }}
) as _cdc_route
where {{ cdc_gold_has_key_sql(input.changed, leaf.input.key, '_cdc_route', leaf.key_names) }}
{%- endmacro %}
