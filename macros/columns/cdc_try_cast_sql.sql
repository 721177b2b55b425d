{% macro cdc_try_cast_sql(value, from_type, to_type) -%}
{%- if to_type.split('<')[0] in ['array', 'map', 'struct'] -%}
    from_json({{ value }}, {{ adapter.string_literal(to_type) }})
{%- elif cdc_is_direct_cast(from_type, to_type) -%}
    try_cast({{ value }} as {{ to_type }})
{%- else -%}
    try_cast(cast({{ value }} as string) as {{ to_type }})
{%- endif -%}
{%- endmacro %}
