{#
    The guard stands in the matched clauses and not in the join: there, an older change would count as not matched
    and be inserted beside the row it lost to. An equal sequence is the same change again; it is applied only to
    rows that are marked as deleted, because a late change may have given them another last image. A run that
    completes a reload also deletes what is left of older generations.
#}
{% macro cdc_merge_sql(target, source, keys, columns, delete_mode, completed_generation=none) -%}
{%- set is_newer = 'source._cdc_sequence ' ~ ('>' if delete_mode == 'hard' else '>=') ~ ' target._cdc_sequence' -%}
merge into {{ target }} as target
using {{ source }} as source
on {{ cdc_same_key_sql(keys, 'target', 'source') }}
{%- if delete_mode == 'hard' %}
when matched and {{ is_newer }} and source._cdc_operation = 'D' then delete
{%- else %}
when matched and {{ is_newer }} and not source._cdc_has_image then update set
    {%- for column in columns if column.startswith('_cdc_') %}
    {{ cdc_quote(column) }} = source.{{ cdc_quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- endif %}
when matched and {{ is_newer }} then update set
    {%- for column in columns %}
    {{ cdc_quote(column) }} = source.{{ cdc_quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- if completed_generation and delete_mode == 'soft' %}
when matched and target._cdc_generation < {{ completed_generation }} then update set `_cdc_is_deleted` = true
{%- endif %}
when not matched{{ " and source._cdc_operation <> 'D'" if delete_mode == 'hard' }} then insert (
    {{ cdc_column_list_sql(columns) }}
) values (
    {% for column in columns %}source.{{ cdc_quote(column) }}{{ ', ' if not loop.last }}{% endfor %}
)
{%- if completed_generation %}
when not matched by source and target._cdc_generation < {{ completed_generation }} then
    {{- " delete" if delete_mode == 'hard' else ' update set `_cdc_is_deleted` = true' }}
{%- endif %}
{%- endmacro %}
