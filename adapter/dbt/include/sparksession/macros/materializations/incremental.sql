{% materialization incremental, adapter='sparksession', supported_languages=['sql', 'python'] -%}
  {%- set file_format = dbt_spark_validate_get_file_format(config.get('file_format', default='parquet')) -%}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {#- dbt defines get_incremental_<strategy>_sql for its own strategies too, for adapters with other statements. -#}
  {%- set of_dbt = ['append', 'merge', 'insert_overwrite', 'microbatch', 'delete_insert', 'default'] -%}
  {%- set is_own = strategy not in of_dbt and ('get_incremental_' ~ strategy ~ '_sql') in context -%}
  {%- if not is_own -%}
    {%- set strategy = dbt_spark_validate_get_incremental_strategy(strategy, file_format) -%}
  {%- endif -%}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set incremental_predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
  {#- Kept in dbt's cache: a later batch of the same run finds an Iceberg table. -#}
  {%- set target_relation = this.incorporate(type='table').replace(is_iceberg=(file_format == 'iceberg')) -%}
  {%- set existing_relation = load_relation(this) -%}
  {%- set rebuild = existing_relation is none or existing_relation.is_view or should_full_refresh() -%}
  {%- if flags.EMPTY and not rebuild -%}
    {{ return(sparksession_leave_as_it_is(existing_relation)) }}
  {%- endif -%}

  {%- if strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') -%}
    {%- call statement() -%}
      set spark.sql.sources.partitionOverwriteMode = DYNAMIC
    {%- endcall -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}
  {%- if not rebuild and existing_relation.is_iceberg -%}
    {% do adapter.start_write(existing_relation) %}
  {%- endif -%}

  {%- set replaceable = existing_relation is not none and (
    (existing_relation.is_iceberg and file_format == 'iceberg' and existing_relation.is_table)
    or (existing_relation.is_delta and file_format == 'delta')
  ) -%}
  {%- if rebuild and existing_relation is not none and not replaceable -%}
    {% do adapter.drop_relation(existing_relation) %}
  {%- endif -%}

  {%- if is_own -%}
    {{ sparksession_run_own_strategy(strategy, target_relation, none if rebuild else existing_relation, compiled_code, incremental_predicates) }}
  {%- else -%}
    {%- set found = {'select': compiled_code, 'properties': {}} -%}
    {%- if model['language'] == 'python' -%}
      {%- set found = adapter.run_python_model(model, compiled_code) -%}
    {%- endif -%}
    {%- if rebuild -%}
      {%- do sparksession_check_rows(target_relation, found.select) -%}
      {%- set create_sql = create_table_as(False, target_relation, found.select, 'sql') -%}
      {{ sparksession_write(target_relation, create_sql, found.properties) }}
    {%- elif found.select is none -%}
      {%- call noop_statement('main', 'OK ' ~ found.message) -%}{%- endcall -%}
    {%- else -%}
      {%- set tmp_relation = make_temp_relation(target_relation, '__dbt_tmp') -%}
      {%- call statement('create_tmp_relation') -%}
        {{ create_table_as(True, tmp_relation, found.select, 'sql') }}
      {%- endcall -%}
      {%- do process_schema_changes(on_schema_change, tmp_relation, existing_relation) -%}
      {%- set write_sql = dbt_spark_get_incremental_sql(strategy, tmp_relation, target_relation, existing_relation, config.get('unique_key'), incremental_predicates) -%}
      {{ sparksession_write(target_relation, write_sql, found.properties) }}
    {%- endif -%}
  {%- endif -%}
  {%- if rebuild -%}
    {% do persist_constraints(target_relation, model) %}
  {%- endif -%}

  {% do apply_grants(target_relation, config.get('grants'), should_revoke(existing_relation, full_refresh_mode=rebuild)) %}
  {% do persist_docs(target_relation, model) %}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}


{# Runs the statement that writes the model's table (adapter.write), and reports it as dbt's own `statement` does. #}
{% macro sparksession_write(relation, write_sql, properties) -%}
  {%- do adapter.write(relation, write_sql, properties) -%}
  {%- do adapter.identify_rows(relation, config.get('identifier_fields')) -%}
  {%- call noop_statement('main', 'OK') -%}{{ write_sql }}{%- endcall -%}
{%- endmacro %}


{#
    A strategy of the project's own, the macro get_incremental_<name>_sql, writes every run, also the one that creates the
    table. It returns the statement to run, or none where there is nothing to run, and may set `message` for dbt's log and
    `properties`, which the snapshot of the statement records.
    Where it sets `verified` to schema, the statement reads files of which only the schema was read before: if one of them
    cannot be read, the strategy is asked again with `verify` full, to leave it out.
#}
{% macro sparksession_run_own_strategy(strategy, target_relation, existing_relation, sql, incremental_predicates) -%}
  {%- set arguments = {
    'target_relation': target_relation,
    'existing_relation': existing_relation,
    'sql': sql,
    'unique_key': config.get('unique_key'),
    'incremental_predicates': incremental_predicates,
    'message': 'nothing to write',
    'properties': {},
    'verify': 'schema',
    'verified': 'full',
  } -%}
  {%- set write_sql = adapter.get_incremental_strategy_macro(context, strategy)(arguments) -%}
  {%- set is_written = write_sql is none or (arguments.verified == 'schema' and adapter.is_written(target_relation, write_sql, arguments.properties)) -%}
  {%- if arguments.verified == 'schema' and not is_written -%}
    {%- do arguments.update({'verify': 'full', 'verified': 'full'}) -%}
    {%- set write_sql = adapter.get_incremental_strategy_macro(context, strategy)(arguments) -%}
    {%- set is_written = write_sql is none -%}
  {%- endif -%}
  {%- if not is_written -%}
    {%- do adapter.write(target_relation, write_sql, arguments.properties) -%}
  {%- endif -%}
  {%- if write_sql is not none -%}
    {%- do adapter.identify_rows(target_relation, config.get('identifier_fields')) -%}
  {%- endif -%}
  {%- call noop_statement('main', 'OK ' ~ arguments.message) -%}{{ write_sql or '' }}{%- endcall -%}
{%- endmacro %}
