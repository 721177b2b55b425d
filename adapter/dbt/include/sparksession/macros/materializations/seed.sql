{% materialization seed, adapter='sparksession' -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {#- Of a seed above 1 MB dbt knows the path only. -#}
  {%- set is_hashed = model.checksum.name == 'sha256' -%}
  {%- set made_of = model.checksum.checksum ~ tojson(model.config, sort_keys=true) -%}
  {%- set checksum = local_md5(made_of) if is_hashed else none -%}
  {%- if sparksession_is_unchanged(target_relation, checksum) -%}
    {#- `dbt seed --show` shows it. -#}
    {%- do store_result('agate_table', response='OK', agate_table=load_agate_table()) -%}
    {%- call noop_statement('main', 'OK unchanged') -%}{%- endcall -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}
  {%- set made = materialization_seed_default() -%}
  {%- do sparksession_set_checksum(target_relation, 'table', checksum) -%}
  {{ return(made) }}
{%- endmaterialization %}
