{% macro sparksession__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- if language == 'python' -%}
    {%- set view = adapter.run_python_model(model, compiled_code) -%}
    {%- if view is none -%}
      {%- do exceptions.raise_compiler_error(
        "Python model " ~ model.name ~ " returned None. Expected a Spark or pandas DataFrame, because the table has to be"
        ~ " created. Return an empty DataFrame with the right columns."
      ) -%}
    {%- endif -%}
    {%- set compiled_code = "select * from `" ~ view ~ "`" -%}
  {%- endif -%}
  {{ spark__create_table_as(temporary, relation, compiled_code, 'sql') }}
{%- endmacro %}
