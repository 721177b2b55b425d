{% macro cdc_csv_header_sql(view, delimiter) -%}
with headers as (
    select
        _file_path,
        explode({{ cdc_csv_fields_sql('value', delimiter) | indent(8) }}) as field
    from {{ view }}
    where
        _file_row = 0
        and is_valid_utf8(value)
)

select
    replace(trim(both '"' from field), '""', '"') as name,
    count(distinct _file_path) as file_count
from headers
group by name
order by name
{%- endmacro %}
