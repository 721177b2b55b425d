{# The names in the headers of files. A field without a name names no column (cdc_csv_layout_sql). #}
{% macro cdc_csv_header_sql(view, delimiter) -%}
with headers as (
    select
        _file_path,
        explode(transform(
            {{ cdc_csv_fields_sql('value', delimiter) | indent(12) }},
            field -> {{ cdc_csv_name_sql('field') | indent(12) }}
        )) as name
    from {{ view }}
    where
        _file_row = 0
        and {{ adapter.is_utf8_sql('value') }}
)

select
    name,
    count(distinct _file_path) as file_count
from headers
where name <> ''
group by name
order by name
{%- endmacro %}
