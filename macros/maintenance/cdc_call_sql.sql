{% macro cdc_call_sql(procedure, table, arguments) -%}
call system.{{ procedure }}(
    table => {{ adapter.string_literal(table) }}
    {%- for name, value in arguments.items() %},
    {{ name }} => {{ value }}
    {%- endfor %}
)
{%- endmacro %}
