{#
    The tables with a key of which the log may begin with an update: all that are compared in full, and those of which a
    new change updates a key that silver did not have.
#}
{% macro cdc_tables_with_unknown_keys() %}
    {% set tables, found, queries = cdc_keyed_tables(), [], [] %}
    {% for table in tables %}
        {% set check = cdc_check_of(table.silver) %}
        {% if check.depth == 'full' %}
            {% do found.append(table) %}
        {% elif check.depth == 'step' %}
            {% do queries.append(_unknown_keys_sql(table.cdc, table.silver, check, loop.index0)) %}
        {% endif %}
    {% endfor %}
    {% if queries %}
        {% for row in run_query(queries | join('\nunion all\n')).rows %}
            {% do found.append(tables[row['number'] | int]) %}
        {% endfor %}
    {% endif %}
    {% do return(found) %}
{% endmacro %}


{% macro _unknown_keys_sql(cdc, silver, step, number) -%}
select {{ number }} as number
from (
    select
        {%- for key in cdc.primary_key %}
        min_by({{ adapter.quote(key) }}, _cdc_sequence) as {{ adapter.quote(key) }},
        {%- endfor %}
        min_by(_cdc_operation, _cdc_sequence) as operation,
        min_by(_cdc_old_key, _cdc_sequence) as old_key
    from (
        {{ step.rows_sql | indent(8) }}
    )
    where _cdc_operation not in ('T', 'R', 'X')
    group by {{ cdc_key_list_sql(cdc) }}
) as firsts
left anti join {{ silver }} version as of {{ step.silver_snapshot_id }} as silver
    on {{ cdc_same_key_sql(cdc, 'firsts', 'silver') }}
where firsts.operation = 'U' and firsts.old_key is null
group by all
{%- endmacro %}
