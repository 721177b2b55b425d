{#
    The tables with a key of which the log may begin with an update: all that are compared in full, and those of which a
    new change updates a key that silver did not have. The steps of all tables are asked together, by hashes of keys; if one
    of the tables cannot be asked, all are in doubt.
#}
{% macro cdc_tables_with_unknown_keys() %}
    {% set found, steps, queries = [], [], [] %}
    {% for node in cdc_models_of('silver') if node.cdc.mode != 'append' %}
        {% set silver = load_relation(cdc_relation_of(node)) %}
        {% set check = cdc_check_of(silver) if silver is not none else {} %}
        {% if check.depth == 'full' %}
            {% do found.append(check) %}
        {% elif check.depth == 'step' %}
            {% do queries.append(_keys_of_step_sql(silver, check, steps | length)) %}
            {% do steps.append(check) %}
        {% endif %}
    {% endfor %}
    {% if queries %}
        {% set asked = adapter.attempt(_unknown_keys_sql(queries, steps | sum(attribute='rows'))) %}
        {% do found.extend(steps) if asked.error %}
        {% for row in asked.rows %}
            {% do found.append(steps[row['number'] | int]) %}
        {% endfor %}
    {% endif %}
    {% do return(found) %}
{% endmacro %}


{# One task for few rows: to start one for each table costs more than to read them. #}
{% macro _unknown_keys_sql(queries, rows) -%}
select distinct number
from (
    select number, min(change) as first
    from (
        select {{ '/*+ coalesce(1) */ ' if rows <= 1000000 }}*
        from (
            {{ queries | join('\nunion all\n') | indent(12) }}
        )
    )
    group by number, key
    having count(change) = count(*)
)
where first.operation = 'U' and not first.has_old_key
{%- endmacro %}


{# Spark writes a number into the code that it generates, and would compile that of each table. #}
{% macro _keys_of_step_sql(silver, step, number) -%}
select
    '{{ number }}' as number,
    xxhash64({{ cdc_key_list_sql(step.cdc) }}) as key,
    struct(_cdc_sequence, _cdc_operation as operation, _cdc_old_key is not null as has_old_key) as change
from (
    {{ step.rows_sql | indent(4) }}
)
where _cdc_operation not in ('T', 'R', 'X')
union all
select
    '{{ number }}',
    xxhash64({{ cdc_key_list_sql(step.cdc) }}),
    null
from {{ silver }} version as of {{ step.silver_snapshot_id }} as silver
{%- if not step.is_small %}
left semi join (
    {{ step.rows_sql | indent(4) }}
) as changes on {{ cdc_same_key_sql(step.cdc, 'silver', 'changes') }}
{%- endif %}
{%- endmacro %}
