{% macro cdc_csv_position_sql(cdc, name) -%}
{%- if cdc.options.header -%}
    {%- set positions = [] -%}
    {%- for name_in_file in cdc_names_in_files(cdc, name) -%}
        {%- do positions.append('nullif(array_position(_cdc_header, ' ~ adapter.string_literal(cdc_file_name(name_in_file)) ~ '), 0)') -%}
    {%- endfor -%}
    {{ positions[0] if positions | length == 1 else 'coalesce(' ~ positions | join(', ') ~ ')' }}
{%- else -%}
    {%- set names = cdc.columns | map(attribute='name') | map('lower') | list -%}
    _cdc_lead + {{ names.index(name | lower) + 1 }}
{%- endif -%}
{%- endmacro %}
