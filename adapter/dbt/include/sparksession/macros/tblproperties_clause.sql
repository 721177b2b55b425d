{% macro sparksession__tblproperties_clause() -%}
  {%- set properties = config.get('tblproperties') or {} -%}
  {%- if config.get('file_format') == 'iceberg' -%}
    {%- set properties = adapter.table_properties(config) -%}
  {%- endif -%}
  {%- if properties %}
    tblproperties (
      {%- for name, value in properties.items() %}
      {{ adapter.string_literal(name) }} = {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
      {%- endfor %}
    )
  {%- endif %}
{%- endmacro %}
