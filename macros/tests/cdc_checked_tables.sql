{#
    What silver_checks records of each silver table, by `schema.table`: read once per command. A table is due for a full
    comparison after a half to all of cdc_compare_days, another part for each: so they do not all come due in one run.
#}
{% macro cdc_checked_tables() %}
    {% set checked = cdc_relation_of('silver_checks') %}
    {% set notes = adapter.notes('checked') %}
    {% if not notes and checked and load_relation(checked) is not none %}
        {#- Complete when other threads see it. -#}
        {% set tables = {} %}
        {% for row in adapter.run_once(_checked_tables_sql(checked)).rows %}
            {% do tables.update({row['silver_table']: row.dict()}) %}
        {% endfor %}
        {% do notes.update(tables) %}
    {% endif %}
    {% do return(notes) %}
{% endmacro %}


{% macro _checked_tables_sql(checked) -%}
select
    *,
    unix_micros(current_timestamp()) - unix_micros(compared_at)
        >= {{ var('cdc_compare_days') }} * 86400e6 * (0.5 + pmod(hash(silver_table, compared_at), 1000) / 2000) as is_due
from {{ checked }}
{%- endmacro %}
