{# What a matched row gets: the change's value, or its own where the change does not carry one and the row was alive. #}
{% macro cdc_merge_value_sql(name, carries_forward, is_soft) -%}
{%- set column = adapter.quote(name) -%}
{%- if carries_forward and not name.startswith('_cdc_') -%}
if(
    array_contains(source._cdc_unavailable_columns, {{ adapter.string_literal(name) }}) is true
    and target._cdc_sequence >= source._cdc_epoch{{ ' and not target._cdc_is_deleted' if is_soft }},
    target.{{ column }},
    source.{{ column }}
)
{%- else -%}
source.{{ column }}
{%- endif -%}
{%- endmacro %}
