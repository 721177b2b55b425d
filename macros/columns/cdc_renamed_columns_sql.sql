{#
    Rows of bronze with renamed columns under their new names: where bronze has both columns, the old one fills the
    gaps of the new one; names that were written before the rename are read as the new ones.
#}
{% macro cdc_renamed_columns_sql(cdc, plan, rows_sql) -%}
{%- set values = {} -%}
{%- set unavailable = ['_cdc_unavailable_columns'] -%}
{%- set keys = [] -%}
{%- for column in plan if column.raw_type is not none and cdc_names_in_files(cdc, column.name) | length > 1 -%}
    {%- set new = adapter.string_literal(column.name) -%}
    {%- for old in column.old_columns -%}
        {%- do values.update({column.name: values.get(column.name, [column.name]) + [old]}) -%}
        {%- set one, both = adapter.string_literal(old), unavailable[-1] -%}
        {%- do unavailable.append(
            'if(array_contains(' ~ both ~ ', ' ~ one ~ ') and array_contains(' ~ both ~ ', ' ~ new ~ '),'
            ~ ' array_remove(' ~ both ~ ', ' ~ one ~ '), array_except(' ~ both ~ ', array(' ~ one ~ ', ' ~ new ~ ')))'
        ) -%}
    {%- endfor -%}
    {%- set old_names = [] -%}
    {%- for name in cdc_names_in_files(cdc, column.name)[1:] -%}
        {%- do old_names.append(adapter.string_literal(name)) -%}
    {%- endfor -%}
    {%- set is_old = 'lower(name) in (' ~ old_names | join(', ') ~ ')' -%}
    {%- do unavailable.append('transform(' ~ unavailable[-1] ~ ', name -> if(' ~ is_old ~ ', ' ~ new ~ ', name))') -%}
    {%- if column.name | lower in cdc.primary_key | map('lower') -%}
        {%- set renamed = 'if(' ~ is_old ~ ', ' ~ new ~ ', name)' -%}
        {%- set old_key = keys[-1] if keys else '_cdc_old_key' -%}
        {%- do keys.append('transform_keys(' ~ old_key ~ ', (name, value) -> ' ~ renamed ~ ')') -%}
    {%- endif -%}
{%- endfor -%}
{%- if unavailable | length == 1 -%}
{{ rows_sql }}
{%- else -%}
select
    * except (
        {%- for name, names in values.items() %}{{ get_quoted_csv(names) }}, {% endfor -%}
        {{ '_cdc_old_key, ' if keys }}_cdc_unavailable_columns
    ),
    {%- for name, names in values.items() %}
    coalesce({{ get_quoted_csv(names) }}) as {{ adapter.quote(name) }},
    {%- endfor %}
    {%- if keys %}
    {{ keys[-1] }} as _cdc_old_key,
    {%- endif %}
    nullif({{ unavailable[-1] }}, cast(array() as array<string>)) as _cdc_unavailable_columns
from (
    {{ rows_sql | indent(4) }}
) as renamed
{%- endif -%}
{%- endmacro %}
