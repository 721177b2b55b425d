{#
    Parquet files are judged by their schema. Each CSV file has a header of its own, each
    message its names, and all their values are text.
#}
{% macro cdc_schema_drift_sql(cdc, raw, target_columns, bronze=none) -%}
{%- set cases = {} -%}
{%- for columns in (raw.schemas if cdc.format == 'parquet' else []) -%}
    {%- do cases.update({loop.index0: _schema_drift(cdc, columns, target_columns, bronze)}) -%}
{%- endfor -%}
{%- set added = [] -%}
{%- set named = raw.columns if cdc.format != 'parquet' else [] -%}
{%- for column in named if _schema_drift(cdc, [column], target_columns) -%}
    {%- do added.append(column) -%}
{%- endfor -%}
{%- if added -%}
nullif(concat_ws(
    '; ',
    {%- for column in added %}
    case
        when array_contains(_cdc_header, {{ adapter.string_literal(column.get('file_name', column.name) | lower) }})
            then {{ adapter.string_literal('column ' ~ column.name ~ ' string is new') }}
    end{{ ',' if not loop.last }}
    {%- endfor %}
), '')
{%- elif cases.values() | select | list -%}
case _cdc_file_schema
    {%- for number, words in cases.items() if words %}
    when {{ number }} then {{ adapter.string_literal(words) }}
    {%- endfor %}
end
{%- else -%}
cast(null as string)
{%- endif -%}
{%- endmacro %}


{# What the columns of one file would change in a table, in words; nothing for a table that has no columns yet. #}
{% macro _schema_drift(cdc, columns, target_columns, bronze=none) %}
    {% do return(adapter.call_function('python_udfs.pipeline.columns.describe_drift', {
        'cdc': cdc, 'columns': columns, 'target': target_columns, 'warehouse': adapter,
        'advice': ': run ' ~ cdc_change_types_command(bronze) if bronze is not none else '',
    })) %}
{% endmacro %}
