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
    {% set words = [] %}
    {% set advice = ': run ' ~ cdc_change_types_command(bronze) if bronze is not none else '' %}
    {% set target = {} %}
    {% for column in target_columns if not column.name.startswith('_cdc_') %}
        {% do target.update({column.name | lower: column.dtype | lower}) %}
    {% endfor %}
    {% for column in cdc_source_columns(cdc, {'columns': columns}) if target and not column.is_listed %}
        {% set type = target.get(column.name | lower) %}
        {% if type is none %}
            {% do words.append('column ' ~ column.name ~ ' ' ~ column.type ~ ' is new') %}
        {% elif column.type != type and not adapter.is_type_promotion(column.type, type) %}
            {% do words.append('column ' ~ column.name ~ ' is ' ~ column.type ~ ', expected ' ~ type ~ advice) %}
        {% endif %}
    {% endfor %}
    {% do return(words | join('; ')) %}
{% endmacro %}
