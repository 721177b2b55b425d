{% macro cdc_csv_header_sql(view, delimiter) -%}
with headers as (
    select explode({{ cdc_csv_fields_sql('value', delimiter) | indent(4) }}) as field
    from {{ view }}
    where
        _file_row = 0
        and is_valid_utf8(value)
)

select distinct replace(trim(both '"' from field), '""', '"') as name
from headers
order by name
{%- endmacro %}
