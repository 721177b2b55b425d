{#
    Where the values of a record stand (docs/contracts.md section 1.3): with a header by name, whatever its case;
    without one after the fields that DMS puts before them. A quote that does not open or close a whole value makes the
    record malformed (section 1.5).
#}
{% macro cdc_csv_layout_sql(cdc, images=[]) -%}
{%- set own_names = [] if cdc.options.operation_column == 'never' else ['Op'] -%}
{%- for name in [cdc.options.get('timestamp_column'), cdc.options.get('change_sequence_column')] + images if name -%}
    {%- do own_names.append(name) -%}
{%- endfor -%}
{%- set required = cdc.columns | rejectattr('optional') | list | length -%}
{%- set lead = cdc_csv_lead_sql(cdc) -%}
{%- set opened = cdc_csv_patterns(cdc.options.delimiter).opened -%}
{%- set malformed_if -%}
    when
                contains(_cdc_content, '"')
                and exists(_cdc_fields, field -> contains(field, '"') and field not rlike '\\A{{ opened }}"\\z')
                then case
                    when exists(_cdc_fields, field -> contains(field, '"') and not startswith(field, '"'))
                        then 'a quote inside a value without quotes, expected the value in quotes (Rfc4180=true)'
                    when exists(_cdc_fields, field -> field rlike '\\A{{ opened }}\\z')
                        then 'a quoted value is not closed'
                    else 'text follows a quoted value'
                end
{%- endset -%}
placed as (
    {%- if cdc.options.header %}
    select
        *,
        case
            {{ malformed_if }}
            when size(_cdc_fields) <> size(_cdc_header)
                then concat('the record has ', size(_cdc_fields), ' fields, expected ', size(_cdc_header))
            when size(array_distinct(_cdc_header)) < size(_cdc_header)
                then 'the header has two columns of one name, whatever its case'
        end as _cdc_malformed
    from (
        select
            *,
            transform(
                first_value(_cdc_fields) over (partition by _cdc_object_key order by _cdc_row),
                field -> {{ _cdc_header_name_sql(own_names) | indent(16) }}
            ) as _cdc_header
        from split
    )
    {%- else %}
    select
        *,
        {{ lead }} as _cdc_lead,
        case
            {{ malformed_if }}
            when size(_cdc_fields) - {{ lead }} not between {{ required }} and {{ cdc.columns | length }}
                then concat('the record has ', size(_cdc_fields), ' fields, expected ', {{ lead }} + {{ required }}
                {%- if required < cdc.columns | length %}, ' to ', {{ lead }} + {{ cdc.columns | length }}{% endif %})
        end as _cdc_malformed
    from split
    {%- endif %}
)
{%- endmacro %}

{#
    The name that a header gives a field, in lower case. DMS writes its own columns as the metadata has them: they are
    marked, so that a column op of the source stays apart from Op.
#}
{% macro _cdc_header_name_sql(own_names) -%}
{%- set name = "replace(trim(both '\"' from field), '\"\"', '\"')" -%}
{%- if own_names -%}
if(
    {{ name }} in ({% for own in own_names %}{{ cdc_string_sql(own) }}{{ ', ' if not loop.last }}{% endfor %}),
    concat('=', lower({{ name }})),
    lower({{ name }})
)
{%- else -%}
lower({{ name }})
{%- endif -%}
{%- endmacro %}
