{% materialization view, adapter='sparksession' -%}
  {%- if flags.EMPTY and config.get('meta', {}).get('leave_if_empty') and load_relation(this) is not none -%}
    {{ return(sparksession_leave_as_it_is(this)) }}
  {%- endif -%}
  {%- if not adapter.has_views() -%}
    {{ return(sparksession_table_for_view()) }}
  {%- endif -%}
  {%- set target_relation = this.incorporate(type='view') -%}
  {%- set made_of = compiled_code ~ tojson([model.config, model.description, model.columns], sort_keys=true) -%}
  {%- set checksum = local_md5(made_of) -%}
  {%- if sparksession_is_unchanged(target_relation, checksum) -%}
    {%- call noop_statement('main', 'OK unchanged') -%}{%- endcall -%}
    {{ return({'relations': [target_relation]}) }}
  {%- endif -%}
  {%- set made = create_or_replace_view() -%}
  {%- do sparksession_set_checksum(target_relation, 'view', checksum) -%}
  {{ return(made) }}
{%- endmaterialization %}
