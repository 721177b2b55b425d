{# The columns of the table by their names, from the columns that files have. #}
{% macro cdc_parquet_records_sql(layout, view) -%}
records as (
    select
        {{ cdc_file_columns_sql() | indent(8) }},
        raw._file_row as _cdc_row,
        {{ layout.operation }} as _cdc_op,
        {{ layout.timestamp }} as _cdc_commit_text,
        {%- if layout.change_sequence %}
        nullif(trim({{ layout.change_sequence }}), '') as _cdc_change_sequence,
        {%- endif %}
        cast(null as string) as _cdc_malformed,
        {{ _absent_columns_sql(layout.unavailable) | indent(8) }} as _cdc_unavailable_columns,
        {{ _absent_columns_sql(layout.absent_keys) | indent(8) }} as _cdc_absent_keys,
        {%- if layout.has_casts %}
        {{ _failed_casts_sql(layout.key_casts) | indent(8) }} as _cdc_failed_key_casts,
        {{ _failed_casts_sql(layout.other_casts) | indent(8) }} as _cdc_failed_casts,
        {%- endif %}
        {%- for value in layout.values %}
        {{ value.sql }} as {{ adapter.quote(value.name) }},
        {%- endfor %}
        raw._file_schema as _cdc_file_schema,
        named_struct(
            {%- for value in layout.content %}
            {{ adapter.string_literal(value.name) }}, {{ value.sql }},
            {%- endfor %}
            '', {{ _types_sql(layout.types) | indent(12) }}
        ) as _cdc_content
    from {{ view }} as raw
    inner join files on raw._file_path = files.path and files.is_newest
)
{%- endmacro %}


{# The columns that the file of a row lacks; NULL if it lacks none. #}
{% macro _absent_columns_sql(names_by_schema) -%}
{%- if not names_by_schema -%}
cast(null as array<string>)
{%- else -%}
case raw._file_schema
    {%- for schema, names in names_by_schema.items() %}
    when {{ schema }}
        then array({% for name in names %}{{ adapter.string_literal(name) }}{{ ', ' if not loop.last }}{% endfor %})
    {%- endfor %}
end
{%- endif -%}
{%- endmacro %}


{#
    The types of a file, because JSON has bytes and times as texts. They stand under the empty name: a file that has a
    column of that name is rejected.
#}
{% macro _types_sql(types_by_schema) -%}
{%- if not types_by_schema -%}
cast(null as map <string, string>)
{%- else -%}
case raw._file_schema
    {%- for schema, types in types_by_schema.items() %}
    when {{ schema }}
        then map(
            {%- for name, type in types.items() %}
            {{ adapter.string_literal(name) }}, {{ adapter.string_literal(type) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
    {%- endfor %}
end
{%- endif -%}
{%- endmacro %}


{# An element for each column that is cast while the files are read; a row has a value in one of its places. #}
{% macro _failed_casts_sql(casts) -%}
array(
    {%- for checks in casts %}
    get(array_compact({{ cdc_cast_failures_sql(checks) | indent(4) }}), 0){{ ',' if not loop.last }}
    {%- endfor -%}
)
{%- endmacro %}
