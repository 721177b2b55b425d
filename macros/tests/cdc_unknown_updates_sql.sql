{#
    Keys of which an update came first although the table was loaded. A change of a key without before images looks
    like that (tests/e2e/CASES.md, case 11): the new key is there, and the old one stays.
#}
{% macro cdc_unknown_updates_sql(tables) -%}
{%- for table in tables %}
select
    {{ cdc_table_columns_sql(table.cdc) | indent(4) }},
    count(*) as keys,
    min_by(file, sequence) as first_file,
    min_by(file_row, sequence) as first_file_row
from (
    select
        min(_cdc_sequence) as sequence,
        min_by(_cdc_operation, _cdc_sequence) as operation,
        min_by(_cdc_old_key, _cdc_sequence) as old_key,
        min_by(_cdc_source_file, _cdc_sequence) as file,
        min_by(_cdc_file_row, _cdc_sequence) as file_row
    from {{ table.bronze }} as _cdc_log
    where
        _cdc_quarantine_rule is null
        and _cdc_operation not in ('T', 'R', 'X')
        and not {{ cdc_is_superseded_sql('_cdc_log', table.bronze) | indent(8) }}
    group by {{ cdc_key_list_sql(table.cdc) }}
) as firsts
where
    operation = 'U'
    and old_key is null
    and exists (select 1 from {{ table.bronze }} where _cdc_operation = 'L')
having count(*) > 0
{{ 'union all' if not loop.last }}
{%- else %}
select 'no table yet' as feed
where false
{%- endfor %}
{%- endmacro %}
