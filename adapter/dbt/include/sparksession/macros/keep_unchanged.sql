{#
  What a view or a seed was made of, kept as a property of it. With `meta: {keep_unchanged: true}` it is made again only
  if that has changed, or by a full refresh. Not for a view that says `select *`: it would not get new columns.
#}
{% macro sparksession_is_unchanged(relation, checksum) -%}
  {%- set existing = load_relation(relation) -%}
  {%- set may_be_kept = config.get('meta', {}).get('keep_unchanged') and checksum is not none -%}
  {%- if not may_be_kept or existing is none or should_full_refresh() -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set properties = run_query("show tblproperties " ~ relation ~ " ('dbt.checksum')") -%}
  {{ return(checksum in properties.columns[1].values()) }}
{%- endmacro %}

{% macro sparksession_set_checksum(relation, kind, checksum) -%}
  {%- if config.get('meta', {}).get('keep_unchanged') and checksum is not none -%}
    {%- do run_query("alter " ~ kind ~ " " ~ relation ~ " set tblproperties ('dbt.checksum' = '" ~ checksum ~ "')") -%}
  {%- endif -%}
{%- endmacro %}
