{# The branches of a case that a record takes whose fields the header does not name one by one. #}
{% macro cdc_csv_header_defects_sql(cdc) -%}
{%- set words = [] -%}
{%- for word in cdc.options.null_values | list + ['', '""'] -%}
    {%- do words.append(adapter.string_literal(word)) -%}
{%- endfor -%}
{%- set is_lost = "(name, field) -> name = '' and trim(field) not in (" ~ words | join(', ') ~ ')' -%}
{%- set nameless = 'zip_with(_cdc_header, _cdc_fields, ' ~ is_lost ~ ')' -%}
when size(_cdc_fields) <> size(_cdc_header)
    then concat('the record has ', size(_cdc_fields), ' fields, expected ', size(_cdc_header))
when size(array_distinct(array_remove(_cdc_header, ''))) < size(array_remove(_cdc_header, ''))
    then 'the header has two columns of one name, whatever its case'
when array_contains({{ nameless }}, true)
    then concat(
        'field ', array_position({{ nameless }}, true), ' has a value and no name in the header: name the column,',
        ' or leave its fields empty'
    )
{%- endmacro %}
