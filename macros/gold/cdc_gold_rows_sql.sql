{# The rows of the affected keys: the model's own query over inputs that are cut to the rows that make them. #}
{% macro cdc_gold_rows_sql(model, moved, query_sql, keys) -%}
{%- set key = model.settings.key -%}
with
{%- for input in moved %}
{{ input.input.name_state('b') }} as (
    {{ cdc_gold_state_sql(input.relation, input.after_id) | indent(4) }}
),

_cdc_in{{ input.number }} as (
    {{ _gold_cut_sql(model, input.input, keys) | indent(4) }}
){{ ',\n' if not loop.last }}
{%- endfor %}

select _cdc_query.*
from (
    {{ query_sql | indent(4) }}
) as _cdc_query
where {{ cdc_gold_has_key_sql(keys, key, '_cdc_query', key) }}
{%- endmacro %}


{% macro _gold_cut_sql(model, input, keys) -%}
{%- set cut = (model.cuts | selectattr('input.number', 'equalto', input.number) | list + [none])[0] -%}
select _cdc_row.*
from {{ input.name_state('b') }} as _cdc_row
{%- if cut is not none and cut.own %}
where
    exists (
        select /*+ broadcast(_cdc_key) */ 1
        from {{ adapter.quote(keys.view) }} as _cdc_key
        where
            {%- for column, expression in cut.own.items() %}
            {%- set equals = '=' if column in keys.filled else '<=>' %}
            {{ 'and ' if not loop.first }}_cdc_key.{{ adapter.quote(column) }} {{ equals }} {{ expression }}
            {%- endfor %}
    )
    {%- for column, expression in cut.own.items() if column in keys.ranges %}
    and {{ cdc_in_range_sql(expression, keys.ranges[column]) | indent(4) }}
    {%- endfor %}
{%- elif cut is not none %}
where
    exists (
        select 1
        from (
            {%- for leaf, text in cut.parts %}
            {{ _gold_part_sql(model, leaf, text, keys) | indent(12) }}
            {{- '\n            union' if not loop.last }}
            {%- endfor %}
        ) as _cdc_part
        where {{ cdc_gold_same_sql('_cdc_part', input.key, '_cdc_row', input.key) }}
    )
{%- endif %}
{%- endmacro %}


{% macro _gold_part_sql(model, leaf, text, keys) -%}
select
    {%- for column in leaf.input.key %}
    {{ leaf.key_names[loop.index0] }} as {{ adapter.quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
from (
    {{ text | indent(4) }}
) as _cdc_skeleton
where {{ cdc_gold_has_key_sql(keys, model.settings.key, '_cdc_skeleton', model.settings.key) }}
{%- endmacro %}
