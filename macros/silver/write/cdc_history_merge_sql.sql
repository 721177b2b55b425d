{# A version is known by its key and the change that began it. The source holds only versions that have to change. #}
{% macro cdc_history_merge_sql(cdc, target, source, columns) -%}
merge into {{ target }} as target
using {{ source }} as source
on {{ cdc_same_key_sql(cdc, 'target', 'source') }} and target._cdc_sequence = source._cdc_sequence
when matched and source._cdc_is_gone then delete
when matched then update set
    {%- for column in columns %}
    {{ adapter.quote(column) }} = source.{{ adapter.quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
when not matched then insert (
    {{ get_quoted_csv(columns) }}
) values (
    {{ cdc_names_sql(columns, 'source') }}
)
{%- endmacro %}
