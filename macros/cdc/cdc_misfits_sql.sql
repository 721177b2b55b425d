{#
    A sentence for every value that its column's type cannot hold. Text must parse, and a decimal must keep all its digits;
    any other type must survive the way there and back.
#}
{% macro cdc_misfits_sql(plan) -%}
{%- set casts = [] -%}
{%- for column in plan if column.raw_type is not none and column.type != 'string' and column.raw_type != column.type -%}
    {%- do casts.append(column) -%}
{%- endfor -%}
{%- if not casts -%}
array()
{%- else -%}
array_compact(array(
    {%- for column in casts %}
    {%- set raw = cdc_quote(column.name) %}
    {%- set value = 'try_cast(' ~ raw ~ ' as ' ~ column.type ~ ')' %}
    case
        {%- if column.raw_type != 'string' %}
        when not try_cast({{ value }} as {{ column.raw_type }}) <=> {{ raw }}
        {%- elif column.type.startswith('decimal') %}
        when {{ raw }} is not null and ({{ value }} is null or {{ value }} <> try_cast({{ raw }} as decimal(38, 18)))
        {%- else %}
        when {{ raw }} is not null and {{ value }} is null
        {%- endif %}
            then concat({{ cdc_string_sql(column.name ~ ' is ') }}, "'", {{ raw }}, "'", {{ cdc_string_sql(', expected ' ~ column.type) }})
    end{{ ',' if not loop.last }}
    {%- endfor %}
))
{%- endif -%}
{%- endmacro %}
