{% macro sparksession__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- if language == 'python' -%}
    {%- set select_sql = adapter.run_python_model(model, compiled_code) -%}
    {%- if select_sql is none -%}
      {%- do exceptions.raise_compiler_error(
        "model() returned None, but the table " ~ relation ~ " has to be created. Expected a Spark or pandas DataFrame;"
        ~ " None is for incremental runs with nothing to write. Return an empty DataFrame with the right columns."
      ) -%}
    {%- endif -%}
    {{ spark__create_table_as(temporary, relation, select_sql, 'sql') }}
  {%- else -%}
    {{ spark__create_table_as(temporary, relation, compiled_code, language) }}
  {%- endif -%}
{%- endmacro %}
