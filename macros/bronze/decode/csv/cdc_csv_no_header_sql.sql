{#
    Whether the first line of a file is no header: it names no column of the table. It is a record then, and would be lost
    as a header.
#}
{% macro cdc_csv_no_header_sql(cdc) -%}
{%- set names = [] -%}
{%- for name in cdc.columns | map(attribute='name') | list + cdc.primary_key | list -%}
    {%- for name_in_file in cdc_names_in_files(cdc, name) -%}
        {%- do names.append(adapter.string_literal(cdc_file_name(name_in_file) | lower)) -%}
    {%- endfor -%}
{%- endfor -%}
not arrays_overlap(_cdc_header, array({{ names | unique | join(', ') }}))
{%- endmacro %}
