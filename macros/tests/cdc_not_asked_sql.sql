{# The finding about a table that cannot be asked. #}
{% macro cdc_not_asked_sql(table, reason) -%}
select
    {{ cdc_table_columns_sql(table) | indent(4) }},
    {{ adapter.string_literal('the table cannot be asked: ' ~ reason) }} as finding
{%- endmacro %}
