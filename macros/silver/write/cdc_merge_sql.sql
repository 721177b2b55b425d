{#
    The guard is in the matched clauses and not in the join: there, an older change would count as not matched
    and be inserted beside the row it lost to. A run that brings a truncate or completes a reload also deletes the older
    rows.
#}
{% macro cdc_merge_sql(cdc, target, source, columns, changes) -%}
{%- set merge = adapter.call_function('python_udfs.pipeline.silver_rows.plan_merge', {
    'warehouse': adapter, 'cdc': cdc, 'changes': changes, 'columns': columns,
}) -%}
merge into {{ target }} as target
using {{ source }} as source
on {{ cdc_same_key_sql(cdc, 'target', 'source') }}
{%- if merge.deletes %}
when matched and {{ merge.is_newer }} and source._cdc_operation = 'D' then delete
{%- elif merge.keeps_deleted %}
when matched and {{ merge.is_newer }} and not source._cdc_has_image then update set
    {{ merge.marks | join(',\n    ') }}
{%- endif %}
when matched and {{ merge.is_newer }}{{ ' and not (' ~ merge.same | join(' and ') ~ ')' if merge.same }} then update set
    {{ merge.values | join(',\n    ') }}
when not matched{{ " and source._cdc_operation <> 'D'" if merge.deletes }} then insert (
    {{ get_quoted_csv(columns) }}
) values (
    {{ cdc_names_sql(columns, 'source') }}
)
{%- if changes.has_new_reset_point %}
when not matched by source and target._cdc_sequence < {{ adapter.string_literal(changes.reset_point) }}
    {{- ' and not target._cdc_is_deleted then update set `_cdc_is_deleted` = true' if merge.keeps_deleted
        else ' then delete' }}
{%- endif %}
{%- endmacro %}
