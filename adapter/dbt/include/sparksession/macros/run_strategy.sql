{#
    A strategy of dbt's own writes the rows of the model: by the statement that creates the table if there is none to
    update, else by way of a temporary view. A Python model is run first; its result is a query like that of a SQL
    model.
#}
{% macro sparksession_run_strategy(
    strategy, target_relation, existing_relation, sql, incremental_predicates, on_schema_change
) -%}
  {%- set result = {'select': sql, 'properties': {}} -%}
  {%- if model['language'] == 'python' -%}
    {%- set result = adapter.run_python_model(model, sql) -%}
  {%- endif -%}
  {%- if existing_relation is none -%}
    {%- do sparksession_check_rows(target_relation, result.select) -%}
    {%- set create_sql = create_table_as(False, target_relation, result.select, 'sql') -%}
    {{ sparksession_write(target_relation, create_sql, result.properties) }}
  {%- elif result.select is none -%}
    {%- call noop_statement('main', 'OK ' ~ result.message) -%}{%- endcall -%}
  {%- else -%}
    {%- set tmp_relation = make_temp_relation(target_relation, '__dbt_tmp') -%}
    {%- call statement('create_tmp_relation') -%}
      {{ create_table_as(True, tmp_relation, result.select, 'sql') }}
    {%- endcall -%}
    {%- do process_schema_changes(on_schema_change, tmp_relation, existing_relation) -%}
    {%- set unique_key = config.get('unique_key') -%}
    {%- set write_sql = dbt_spark_get_incremental_sql(
      strategy, tmp_relation, target_relation, existing_relation, unique_key, incremental_predicates
    ) -%}
    {{ sparksession_write(target_relation, write_sql, result.properties) }}
  {%- endif -%}
{%- endmacro %}
