{% macro sparksession__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- if language == 'python' -%}
    {%- set compiled_code = adapter.run_python_model(model, compiled_code).select -%}
    {%- do sparksession_check_rows(relation, compiled_code) -%}
  {%- endif -%}
  {%- set create_sql = spark__create_table_as(temporary, relation, compiled_code, 'sql') -%}
  {%- if not temporary and load_relation(relation) is none -%}
    {#- A table that another run has created meanwhile is not replaced. -#}
    {%- set create_sql = create_sql | replace('create or replace table', 'create table', 1) -%}
  {%- endif -%}
  {{ create_sql }}
{%- endmacro %}


{# Raises an error if a Python model that has to create its table has returned no rows to make it of. #}
{% macro sparksession_check_rows(relation, select_sql) -%}
  {%- if select_sql is none -%}
    {%- do exceptions.raise_compiler_error(
      "model() returned None or Written, but the table " ~ relation ~ " has to be created."
      ~ " Expected a Spark or pandas DataFrame; None is for incremental runs with nothing to write."
      ~ " Return an empty DataFrame with the right columns."
    ) -%}
  {%- endif -%}
{%- endmacro %}
