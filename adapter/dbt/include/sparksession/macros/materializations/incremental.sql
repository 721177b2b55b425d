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

  {%- set updated_relation = none if rebuild else existing_relation -%}
  {%- set predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
  {%- if is_own -%}
    {{ sparksession_run_own_strategy(strategy, target_relation, updated_relation, compiled_code, predicates) }}
  {%- else -%}
    {{ sparksession_run_strategy(
      strategy, target_relation, updated_relation, compiled_code, predicates, on_schema_change
    ) }}
  {%- endif -%}
  {%- if rebuild -%}
    {% do persist_constraints(target_relation, model) %}
  {%- endif -%}

  {% set revokes = should_revoke(existing_relation, full_refresh_mode=rebuild) %}
  {% do apply_grants(target_relation, config.get('grants'), revokes) %}
  {% do persist_docs(target_relation, model) %}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}
