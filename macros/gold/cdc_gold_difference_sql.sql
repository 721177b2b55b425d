{#
    Rows that gold has and its query does not return, or the other way round; of a key that has several rows, the rows
    are paired in their order. Frozen rows are left out.
#}
{% macro cdc_gold_difference_sql(plan, gold) -%}
{%- set is_step = plan.check.depth == 'step' -%}
{%- set columns = plan.exact + plan.floats -%}
{%- set expected_sql = '(\n' ~ cdc_gold_query_sql(plan.movements, plan.query_sql) ~ '\n)' -%}
{%- set gold_sql = '(\n' ~ cdc_gold_state_sql(gold, plan.after_id) ~ '\n)' -%}
with
{%- if is_step %}
_cdc_keys as (
    {{ cdc_gold_checked_keys_sql(plan, gold) | indent(4) }}
),
{% endif %}
_cdc_expected as (
    {{ _gold_numbered_sql(plan, expected_sql, is_step) | indent(4) }}
),

_cdc_gold as (
    {{ _gold_numbered_sql(plan, gold_sql, is_step) | indent(4) }}
)

select
    case
        when _cdc_expected._cdc_number is null then 'needless row'
        when _cdc_gold._cdc_number is null then 'missing row'
        else 'other values'
    end as difference,
    to_json(struct(_cdc_gold.*)) as row_of_gold,
    to_json(struct(_cdc_expected.*)) as recomputed_row
from _cdc_expected
full outer join _cdc_gold
    on
        _cdc_expected._cdc_number = _cdc_gold._cdc_number
        and {{ cdc_gold_same_sql('_cdc_expected', plan.model.settings.key, '_cdc_gold', plan.model.settings.key) }}
where
    _cdc_expected._cdc_number is null
    or _cdc_gold._cdc_number is null
    or not (
        {%- for column in columns %}
        {{ 'and ' if not loop.first }}{{ _gold_is_equal_sql(column, column in plan.floats) | indent(8) }}
        {%- endfor %}
    )
{%- endmacro %}


{% macro _gold_numbered_sql(plan, rows_sql, is_step) -%}
select
    *,
    row_number() over (
        partition by {{ get_quoted_csv(plan.model.settings.key) }}
        order by {{ get_quoted_csv(plan.exact + plan.floats) }}
    ) as _cdc_number
from {{ rows_sql }} as _cdc_row
where
    {{ 'not coalesce(' ~ plan.freeze ~ ', false)' if plan.freeze else 'true' }}
    {%- if is_step %}
    and exists (
        select 1
        from _cdc_keys
        where {{ cdc_gold_same_sql('_cdc_keys', plan.model.settings.key, '_cdc_row', plan.model.settings.key) }}
    )
    {%- endif %}
{%- endmacro %}


{% macro _gold_is_equal_sql(column, is_float) -%}
{%- set left, right = '_cdc_gold.' ~ adapter.quote(column), '_cdc_expected.' ~ adapter.quote(column) -%}
{%- if is_float -%}
(
    {{ left }} <=> {{ right }}
    or coalesce(abs({{ left }} - {{ right }}) <= 1e-9 * greatest(abs({{ left }}), abs({{ right }})), false)
)
{%- else -%}
{{ left }} <=> {{ right }}
{%- endif -%}
{%- endmacro %}
