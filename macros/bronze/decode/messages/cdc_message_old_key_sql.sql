{# The before image of an update that changed its key has the old values of the changed key columns. #}
{% macro cdc_message_old_key_sql(cdc, plan) -%}
{%- set parts = {} -%}
{%- for key in cdc.primary_key -%}
    {%- for column in plan if column.name | lower == key | lower -%}
        {%- set before = adapter.string_literal(cdc_file_name(key) | lower) -%}
        {%- set old = 'try_cast(_cdc_before[' ~ before ~ '] as ' ~ column.type ~ ')' -%}
        {%- set is_in_before = 'map_contains_key(_cdc_before, ' ~ before ~ ')' -%}
        {%- do parts.update({column.name: {
            'old': 'if(' ~ is_in_before ~ ', ' ~ old ~ ', ' ~ cdc_cast_sql(column) ~ ')', 'new': cdc_cast_sql(column),
        }}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- if not parts -%}
cast(null as map <string, string>)
{%- else -%}
case
    when
        _cdc_operation = 'U'
        and _cdc_before is not null
        and not (
            {%- for part in parts.values() %}
            {{ part.old }} <=> {{ part.new }}{{ ' and' if not loop.last }}
            {%- endfor %}
        )
        then map(
            {%- for name, part in parts.items() %}
            {{ adapter.string_literal(name) }}, cast({{ part.old }} as string){{ ',' if not loop.last }}
            {%- endfor %}
        )
end
{%- endif -%}
{%- endmacro %}
