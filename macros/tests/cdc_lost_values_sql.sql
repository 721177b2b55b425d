{#
    Changes of a table that begin a row and do not carry all of its values: the values are known under another key, if
    at all. An update with another key before is one, and so is an insert, as Debezium sends it when a key changes.
    Where the feed keeps absent columns, an insert may lack a column that is new.
#}
{% macro cdc_lost_values_sql(table) -%}
select
    {{ cdc_table_columns_sql(table.cdc) | indent(4) }},
    count(*) as changes,
    array_distinct(flatten(collect_set(_cdc_unavailable_columns))) as columns,
    min_by(_cdc_source_file, _cdc_sequence) as first_file,
    min_by(_cdc_file_row, _cdc_sequence) as first_file_row
from (
    {{ table.rows_sql | indent(4) }}
)
where
    size(_cdc_unavailable_columns) > 0
    and (_cdc_operation = 'U' and _cdc_old_key is not null{{ " or _cdc_operation = 'I'" if not table.keeps_absent }})
having count(*) > 0
{%- endmacro %}
