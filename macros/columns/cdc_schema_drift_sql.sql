{# What the columns of its file would change in the table of a record, in words; NULL if nothing. #}
{% macro cdc_schema_drift_sql(cdc, raw, target_columns, bronze=none) -%}
{%- set drifts = adapter.call_function('python_udfs.pipeline.columns.find_drifts', {
    'cdc': cdc, 'columns': raw.columns, 'schemas': raw.schemas, 'target': target_columns, 'warehouse': adapter,
    'bronze': bronze,
}) -%}
{%- if not drifts -%}
cast(null as string)
{%- elif cdc.format == 'parquet' -%}
case _cdc_file_schema
    {%- for drift in drifts %}
    when {{ drift.position }} then {{ adapter.string_literal(drift.words) }}
    {%- endfor %}
end
{%- else -%}
nullif(concat_ws(
    '; ',
    {%- for drift in drifts %}
    case
        when array_contains(_cdc_header, {{ adapter.string_literal(drift.name) }})
            then {{ adapter.string_literal(drift.words) }}
    end{{ ',' if not loop.last }}
    {%- endfor %}
), '')
{%- endif -%}
{%- endmacro %}
