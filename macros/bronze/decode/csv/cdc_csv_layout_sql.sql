{#
    Each record with the defect of its form (docs/feeds/dms_format.md): no text in the charset of the feed, a quote that
    does not open or close a whole value, or other fields than its header or its table has. To match a pattern Spark has
    read another character for wrong bytes by then, which shows the field. Without a header the values follow DMS's own
    fields.
#}
{% macro cdc_csv_layout_sql(layout) -%}
{%- set is_wrong = "field -> contains(field, '\\ufffd')" -%}
{%- set charset = layout.charset ~ ': name the encoding of the files in the option charset' -%}
laid_out as (
    select
        *,
        {%- if not layout.has_header %}
        {{ layout.lead }} as _cdc_lead,
        {%- endif %}
        case
            when not {{ adapter.is_utf8_sql('_cdc_content') }}
                then concat(
                    'field ', array_position(transform(_cdc_fields, {{ is_wrong }}), true), " is '",
                    left(filter(_cdc_fields, {{ is_wrong }})[0], 100), "', ",
                    {{ adapter.string_literal('expected text in ' ~ charset) }}
                )
            {%- if layout.has_header %}
            when exists(_cdc_names, {{ is_wrong }})
                then {{ adapter.string_literal('a name in the header is no text in ' ~ charset) }}
            when not arrays_overlap(_cdc_header, array({{ layout.own_names_sql }}))
                then {{ adapter.string_literal(
                    'the first line names no column of the table, expected a header:'
                    ~ ' set header=false if the files have none'
                ) }}
            {%- endif %}
            when
                contains(_cdc_content, '"')
                and exists(
                    _cdc_fields,
                    field ->
                        contains(field, '"')
                        and field not rlike {{ adapter.string_literal(layout.patterns.quoted) }}
                )
                then case
                    when exists(_cdc_fields, field -> contains(field, '"') and not startswith(field, '"'))
                        then 'a quote inside a value without quotes, expected the value in quotes (Rfc4180=true)'
                    when
                        exists(
                            _cdc_fields,
                            field -> field rlike {{ adapter.string_literal(layout.patterns.unclosed) }}
                        )
                        then 'a quoted value is not closed'
                    else 'text follows a quoted value'
                end
            {%- if layout.has_header %}
            {{ _header_defects_sql(layout) | indent(12) }}
            {%- else %}
            when size(_cdc_fields) - _cdc_lead not between {{ layout.least }} and {{ layout.most }}
                then concat(
                    'the record has ', size(_cdc_fields), ' fields, expected ', _cdc_lead + {{ layout.least }}
                    {{- ", ' to ', _cdc_lead + " ~ layout.most if layout.least < layout.most }}
                )
            {%- endif %}
        end as _cdc_malformed
    from {{ 'headed' if layout.has_header else 'split' }}
)
{%- endmacro %}


{# The fields of a record that its header does not name one by one. #}
{% macro _header_defects_sql(layout) -%}
{%- set is_lost = "(name, field) -> name = '' and trim(field) not in (" ~ layout.empty_fields_sql ~ ')' -%}
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
