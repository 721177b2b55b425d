{% materialization incremental, adapter='sparksession', supported_languages=['sql', 'python'] -%}
  {%- set file_format = dbt_spark_validate_get_file_format(config.get('file_format', default='parquet')) -%}
  {%- set strategy = dbt_spark_validate_get_incremental_strategy(config.get('incremental_strategy') or 'append', file_format) -%}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set incremental_predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
  {#- Kept in dbt's cache: a later batch of the same run finds an Iceberg table. -#}
  {%- set target_relation = this.incorporate(type='table').replace(is_iceberg=(file_format == 'iceberg')) -%}
  {%- set existing_relation = load_relation(this) -%}
  {%- set rebuild = existing_relation is none or existing_relation.is_view or should_full_refresh() -%}

  {%- if strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') -%}
    {%- call statement() -%}
      set spark.sql.sources.partitionOverwriteMode = DYNAMIC
    {%- endcall -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- set select_sql = compiled_code -%}
  {%- if rebuild -%}
    {%- set replaceable = existing_relation is not none and (
      (existing_relation.is_iceberg and file_format == 'iceberg' and existing_relation.is_table)
      or (existing_relation.is_delta and file_format == 'delta')
    ) -%}
    {%- if existing_relation is not none and not replaceable -%}
      {% do adapter.drop_relation(existing_relation) %}
    {%- endif -%}
    {%- call statement('main', language=model['language']) -%}
      {{ create_table_as(False, target_relation, compiled_code, model['language']) }}
    {%- endcall -%}
    {% do persist_constraints(target_relation, model) %}
  {%- else -%}
    {%- if model['language'] == 'python' -%}
      {%- set select_sql = adapter.run_python_model(model, compiled_code) -%}
    {%- endif -%}
    {#- A SQL model says with this comment what a Python model says by returning None. -#}
    {%- if select_sql is none or sparksession__says_nothing_new(select_sql) -%}
      {%- call noop_statement('main', 'OK nothing to write') -%}{%- endcall -%}
    {%- else -%}
      {%- set tmp_relation = make_temp_relation(target_relation, '__dbt_tmp') -%}
      {%- call statement('create_tmp_relation') -%}
        {{ create_table_as(True, tmp_relation, select_sql, 'sql') }}
      {%- endcall -%}
      {%- do process_schema_changes(on_schema_change, tmp_relation, existing_relation) -%}
      {%- call statement('main') -%}
        {{ dbt_spark_get_incremental_sql(strategy, tmp_relation, target_relation, existing_relation, config.get('unique_key'), incremental_predicates) }}
      {%- endcall -%}
    {%- endif -%}
  {%- endif -%}

  {% do apply_grants(target_relation, config.get('grants'), should_revoke(existing_relation, full_refresh_mode=rebuild)) %}
  {% do persist_docs(target_relation, model) %}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}


{# Whether the comments above a query say so: below them, names and values may hold any text. #}
{% macro sparksession__says_nothing_new(sql) -%}
  {%- set head = namespace(goes_on=true, says_so=false) -%}
  {%- for line in sql.split('\n') | map('trim') if head.goes_on -%}
    {%- set head.goes_on = line == '' or line.startswith('--') -%}
    {%- set head.says_so = head.says_so or line.startswith('-- nothing new: ') -%}
  {%- endfor -%}
  {{ return(head.says_so) }}
{%- endmacro %}
