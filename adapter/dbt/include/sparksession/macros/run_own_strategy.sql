{#
    A strategy of the project's own, the macro get_incremental_<name>_sql, writes every run, also the one that creates
    the table. It returns the statement to run, or none if there is nothing to run, and may set `message` for dbt's
    log and `properties`, which the snapshot of the statement records.
    If it sets `verified` to schema, the statement reads files of which only the schema was read before: if one of
    them cannot be read, the strategy is asked again with `verify` full, to leave it out.
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
  {%- set is_written = write_sql is none or (
    arguments.verified == 'schema' and adapter.is_written(target_relation, write_sql, arguments.properties)
  ) -%}
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
