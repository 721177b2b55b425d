{% macro cdc_try_cast_sql(value, from_type, to_type) -%}
{%- if cdc_is_direct_cast(from_type, to_type) -%}
    try_cast({{ value }} as {{ to_type }})
{%- else -%}
    try_cast(cast({{ value }} as string) as {{ to_type }})
{%- endif -%}
{%- endmacro %}
