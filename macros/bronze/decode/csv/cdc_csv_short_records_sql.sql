{# A row if a record of the batch may lack columns. A value that goes over lines counts as one that may. #}
{% macro cdc_csv_short_records_sql(cdc, files_sql, view) -%}
{%- set delimiter = adapter.string_literal(cdc.options.delimiter.replace('\\t', '\t')) -%}
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
        when contains(value, '"') then size({{ cdc_csv_fields_sql('value', cdc.options.delimiter) | indent(8) }})
        else length(value) - length(replace(value, {{ delimiter }})) + 1
    end < {{ cdc_csv_lead_sql(cdc) }} + {{ cdc.columns | length }}
limit 1
{%- endmacro %}
