{# Step 2 of the rule: the keys of the table with one of the affected keys of the spine. #}
{% macro cdc_gold_branch_keys_sql(branch, key, spine=none) -%}
{%- if branch.keys -%}
select
    {%- for column in key %}
    {{ branch.keys[column] }} as {{ adapter.quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
from _cdc_o{{ branch.number }}
{%- endif -%}
{%- for text in branch.texts -%}
select {{ get_quoted_csv(key) }}
from (
    {{ text | indent(4) }}
) as _cdc_skeleton
where
    {%- if spine %}
    {{ cdc_gold_has_key_sql(spine, branch.spine.input.key, '_cdc_skeleton', branch.spine.key_names) | indent(4) }}
    {%- else %}
    exists (
        select 1
        from _cdc_o{{ branch.number }} as _cdc_spine
        where {{ cdc_gold_same_sql('_cdc_spine', branch.spine.key_names, '_cdc_skeleton', branch.spine.key_names) }}
    )
    {%- endif %}
{%- if not loop.last %}
union
{% endif %}
{%- endfor -%}
{%- endmacro %}
