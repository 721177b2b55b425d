{# A row if a record of the batch may lack columns. A value that goes over lines counts as one that may. #}
{% macro cdc_csv_short_records_sql(layout, files_sql, view) -%}
{%- set delimiter = layout.patterns.delimiter -%}
select true as is_short
from (
    select
        raw.value,
        files.kind as _cdc_kind
    from {{ view }} as raw
    inner join (
        {{ files_sql | indent(8) }}
    ) as files on raw._file_path = files.path
) as lines
where
    case
        when contains(value, '"') then size({{ cdc_csv_fields_sql('value', delimiter) | indent(8) }})
        else length(value) - length(replace(value, {{ adapter.string_literal(delimiter) }})) + 1
    end < {{ layout.lead }} + {{ layout.most }}
limit 1
{%- endmacro %}
