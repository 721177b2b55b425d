{# The key before an update that changed it, from its before image. #}
{% macro cdc_old_key_sql(old_key) -%}
{%- if old_key is none -%}
cast(null as map <string, string>)
{%- else -%}
case
    when
        _cdc_operation = 'U'
        and {{ old_key.condition }}
        and not (
            {%- for part in old_key.parts %}
            {{ part.old }} <=> {{ part.new }}{{ ' and' if not loop.last }}
            {%- endfor %}
        )
        then map(
            {%- for part in old_key.parts %}
            {{ adapter.string_literal(part.name) }}, {{ part.text }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
end
{%- endif -%}
{%- endmacro %}
