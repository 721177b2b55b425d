{#
    All rules of a seed in one statement, as the YAML of its columns states them: a cell without `default` has a value, one
    with a list of `accepted` words has one of them. The value of each expression of `each_once` is there once.
#}
{% test cells_are_accepted(model, each_once) %}
{%- set seed = graph.nodes['seed.' ~ project_name ~ '.' ~ model.identifier] if execute else {'columns': {}} %}
{#- Seeds that are older than a cell lack its column; `make models` names those that a file must have. #}
{%- set names = adapter.get_columns_in_relation(model) | map(attribute='name') | list if execute else [] %}
{{ _problems_sql(model, seed.columns.values() | selectattr('name', 'in', names) | list, each_once) }}
{% endtest %}


{% macro _problems_sql(seed, columns, each_once) -%}
with cells as (
    select
        *
        {%- for expression in each_once %},
        count({{ expression }}) over (partition by {{ expression }}) as rows_{{ loop.index }}
        {%- endfor %}
    from (select /*+ coalesce(1) */ * from {{ seed }})
    {#- To dbt a blank line of a CSV is a row of nulls. #}
    where coalesce(null{% for column in columns %}, cast({{ adapter.quote(column.name) }} as string){% endfor %}) is not null
),

checked as (
    select
        {%- for column in columns %}
        {{ adapter.quote(column.name) }},
        {%- endfor %}
        array_join(array_compact(array(
            {%- for column in columns %}
            {%- set name, facts = adapter.quote(column.name), column.config.meta %}
            {%- if 'default' not in facts %}
            if({{ name }} is null, {{ adapter.string_literal(column.name ~ ' is missing') }}, null),
            {%- endif %}
            {%- if facts.accepted is not string %}
            {{ _other_word_sql(column.name, facts.accepted) | indent(12) }},
            {%- endif %}
            {%- endfor %}
            {%- for expression in each_once %}
            if(rows_{{ loop.index }} > 1, concat('more than once: ', {{ expression }}), null),
            {%- endfor %}
            cast(null as string)
        )), '; ') as problems
    from cells
)

select *
from checked
where problems <> ''
{%- endmacro %}


{% macro _other_word_sql(column, words) -%}
{%- set name, literals = adapter.quote(column), [] -%}
{%- for word in words %}{% do literals.append(adapter.string_literal(word)) %}{% endfor -%}
{%- set expected = ', expected ' ~ words | join(', ') -%}
if(
    cast({{ name }} as string) not in ({{ literals | join(', ') }}),
    concat({{ adapter.string_literal(column ~ ' is ') }}, {{ name }}, {{ adapter.string_literal(expected) }}),
    null
)
{%- endmacro %}
