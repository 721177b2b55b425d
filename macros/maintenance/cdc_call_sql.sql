{% macro cdc_call_sql(procedure, table, arguments) -%}
call system.{{ procedure }}(
    table => {{ cdc_string_sql(table) }}
    {%- for name, value in arguments.items() %},
    {{ name }} => {{ value }}
    {%- endfor %}
)
{%- endmacro %}
