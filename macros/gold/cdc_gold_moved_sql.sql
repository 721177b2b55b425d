{#
    The keys of rows that meet one of some conditions, in the table as it is and in the joins of the query as they are
    now. Reads the expressions of cdc_gold_states_sql.
#}
{% macro cdc_gold_moved_sql(gold, model, conditions) -%}
{%- set key = model.settings.key -%}
select {{ get_quoted_csv(key) }}
from {{ gold }}
where ({{ conditions | join(')\n    or (') }})
{%- for text in model.day_texts %}
union
select {{ get_quoted_csv(key) }}
from (
    {{ text | indent(4) }}
) as _cdc_skeleton
where ({{ conditions | join(')\n    or (') }})
{%- endfor %}
{%- endmacro %}
