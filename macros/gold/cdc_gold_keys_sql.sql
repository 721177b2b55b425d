{#
    The keys of the table that changes of inputs affect, before and after. A changed row leads to keys of the spine, and
    these to keys of the table: straight from the changed row, a row that had no partner yet would be missed.
#}
{% macro cdc_gold_keys_sql(model, moved, limit, moved_sql='') -%}
{%- set key = model.settings.key -%}
{%- set branches = model.select_branches(moved | selectattr('changed.view') | map(attribute='number') | list) -%}
{%- set tables = [] -%}
{%- for branch in branches -%}
    {%- do tables.append(_gold_branch_sql(branch, key, moved)) -%}
{%- endfor -%}
{%- set states_sql = cdc_gold_states_sql(moved, tables | join ~ moved_sql) -%}
{%- set with_sql = ([states_sql] + tables) | select | join(',\n\n') -%}
{%- if with_sql -%}
with
{{ with_sql }}

{% endif -%}
{% for branch in branches -%}
select {{ 'distinct ' if branches | length == 1 and not moved_sql }}{{ get_quoted_csv(key) }}
from _cdc_g{{ branch.number }}
{%- if not loop.last or moved_sql %}
union
{% endif %}
{%- endfor %}
{%- if moved_sql %}
select {{ get_quoted_csv(key) }}
from (
    {{ moved_sql | indent(4) }}
) as _cdc_moved
{%- endif %}
limit {{ limit }}
{%- endmacro %}


{% macro _gold_branch_sql(branch, key, moved) -%}
{%- set spine = branch.find_spine_changes(moved) -%}
{%- if not spine -%}
_cdc_o{{ branch.number }} as (
    {{ cdc_gold_spine_keys_sql(branch, moved) | indent(4) }}
),

{% endif -%}
_cdc_g{{ branch.number }} as (
    {{ cdc_gold_branch_keys_sql(branch, key, spine) | indent(4) }}
)
{%- endmacro %}
