{#
    What the changes of a batch say of its keys: how many were in the table before (their first change is no insert), how
    many of those are deleted, and their range, as text, where range_type says that one can be written.
#}
{% macro cdc_key_counts_sql(cdc, news, range_type) -%}
{%- set key = cdc_quote(cdc.primary_key[0]) -%}
with keys as (
    select
        min_by(_cdc_operation, _cdc_sequence) not in ('I', 'L') as was_there,
        max_by(_cdc_operation, _cdc_sequence) = 'D' as is_deleted
        {%- if range_type %},
        min({{ key }}) as first_key,
        max({{ key }}) as last_key
        {%- endif %}
    from {{ news }}
    group by {{ cdc_key_list_sql(cdc) }}
)

select
    {%- if range_type %}
    cast(min(first_key) as string) as first_key,
    cast(max(last_key) as string) as last_key,
    {%- endif %}
    count_if(was_there) as rows_before,
    count_if(was_there and is_deleted) as rows_deleted
from keys
{%- endmacro %}
