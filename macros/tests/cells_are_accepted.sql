{# All rules of a seed in one statement (python_udfs/pipeline/cells.py). To dbt a blank line of a CSV has nulls. #}
{% test cells_are_accepted(model, each_once) %}
{%- if execute %}
{%- set cells = adapter.call_function('python_udfs.pipeline.cells.plan_cells', {
    'warehouse': adapter, 'seed': model, 'each_once': each_once,
    'columns': graph.nodes['seed.' ~ project_name ~ '.' ~ model.identifier].columns.values(),
}) %}
with cells as (
    select
        {{ (('*',) + cells.counts) | join(',\n        ') }}
    from (select /*+ coalesce(1) */ * from {{ model }})
    where coalesce({{ cells.texts | join(', ') }}) is not null
),

checked as (
    select
        {{ cells.names | join(',\n        ') }},
        array_join(array_compact(array(
            {{ cells.problems | join(',\n            ') }}
        )), '; ') as problems
    from cells
)

select *
from checked
where problems <> ''
{%- endif %}
{% endtest %}
