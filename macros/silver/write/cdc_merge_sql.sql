{#
    The guard is in the matched clauses and not in the join: there, an older change would count as not matched
    and be inserted beside the row it lost to. An equal sequence is the same change again; a late change may have given
    it another last image, or the values that it did not carry. A run that brings a truncate or completes a reload
    also deletes the older rows.
#}
{% macro cdc_merge_sql(cdc, target, source, columns, changes) -%}
{%- set carries_forward = changes.has_partial and cdc.mode == 'current' -%}
{%- set is_soft = cdc.is_soft -%}
{%- set is_newer = 'source._cdc_sequence ' ~ ('>=' if is_soft or carries_forward else '>') ~ ' target._cdc_sequence' -%}
merge into {{ target }} as target
using {{ source }} as source
on {{ cdc_same_key_sql(cdc, 'target', 'source') }}
{%- if not is_soft and cdc.mode != 'append' %}
when matched and {{ is_newer }} and source._cdc_operation = 'D' then delete
{%- elif is_soft %}
when matched and {{ is_newer }} and not source._cdc_has_image then update set
    {%- for column in columns if column.startswith('_cdc_') %}
    {{ adapter.quote(column) }} = source.{{ adapter.quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- endif %}
when matched and {{ is_newer }}
{%- if cdc.unchanged_rows == 'skip' %} and {{ cdc_row_differs_sql(columns, carries_forward, is_soft) }}{% endif %} then update set
    {%- for column in columns %}
    {%- set value_sql = cdc_merge_value_sql(column, carries_forward, is_soft) %}
    {{ adapter.quote(column) }} = {{ value_sql | indent(4) }}{{ ',' if not loop.last }}
    {%- endfor %}
when not matched{{ " and source._cdc_operation <> 'D'" if not is_soft and cdc.mode != 'append' }} then insert (
    {{ get_quoted_csv(columns) }}
) values (
    {% for column in columns %}source.{{ adapter.quote(column) }}{{ ', ' if not loop.last }}{% endfor %}
)
{%- if changes.has_new_reset_point %}
when not matched by source and target._cdc_sequence < {{ adapter.string_literal(changes.reset_point) }}
    {{- ' and not target._cdc_is_deleted then update set `_cdc_is_deleted` = true' if is_soft else ' then delete' }}
{%- endif %}
{%- endmacro %}
