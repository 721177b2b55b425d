{#
    Whether a first, large batch has one change of every key, as the load of a table has: then nothing is grouped, and the
    table keeps the order of its files. To ask reads no more than the keys.
#}
{% macro cdc_has_single_changes(cdc, changes) %}
    {% if cdc.mode != 'current' or changes.changes < var('cdc_replace_rows_from') %}
        {% do return(false) %}
    {% endif %}
    {% do return(run_query(_single_changes_sql(cdc, changes)).rows[0]['has_single_changes']) %}
{% endmacro %}


{% macro _single_changes_sql(cdc, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select count(*) as changes
    from new_changes
    group by {{ cdc_key_list_sql(cdc) }}
)

select max(changes) = 1 as has_single_changes
from keys
{%- endmacro %}
