{# Runs the statement that writes the model's table (adapter.write), and reports it as dbt's own `statement` does. #}
{% macro sparksession_write(relation, write_sql, properties) -%}
  {%- do adapter.write(relation, write_sql, properties) -%}
  {%- do adapter.identify_rows(relation, config.get('identifier_fields')) -%}
  {%- call noop_statement('main', 'OK') -%}{{ write_sql }}{%- endcall -%}
{%- endmacro %}
