{#
  Writes a view's rows as a table: for a catalog that cannot hold views. With `meta: {keep_unchanged: true}` the table
  is written again only if its query or one of the tables that it reads has changed.
#}
{% macro sparksession_table_for_view() -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set read = sparksession_read_snapshots() -%}
  {%- set made_of = compiled_code ~ tojson([model.config, model.description, model.columns, read], sort_keys=true) -%}
  {%- set checksum = none if read is none else local_md5(made_of) -%}
  {%- if sparksession_is_unchanged(target_relation, checksum) -%}
    {%- call noop_statement('main', 'OK unchanged') -%}{%- endcall -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}
  {%- set made = materialization_table_spark() -%}
  {%- do sparksession_set_checksum(target_relation, 'table', checksum) -%}
  {{ return(made) }}
{%- endmacro %}

{# The snapshot of each table that the model reads; none if one of them is no table of Iceberg. #}
{% macro sparksession_read_snapshots() -%}
  {%- set snapshots = {} -%}
  {%- for name in model.depends_on.nodes -%}
    {%- set node = graph.nodes.get(name) or graph.sources.get(name) -%}
    {%- set identifier = node.get('alias') or node.get('identifier') or node.name -%}
    {%- set relation = adapter.get_relation(database=node.database, schema=node.schema, identifier=identifier) -%}
    {%- if relation is not none and not (relation.is_table and relation.is_iceberg) -%}
      {{ return(none) }}
    {%- endif -%}
    {%- do snapshots.update({name: none if relation is none else adapter.current_snapshot_id(relation)}) -%}
  {%- endfor -%}
  {{ return(snapshots) }}
{%- endmacro %}
