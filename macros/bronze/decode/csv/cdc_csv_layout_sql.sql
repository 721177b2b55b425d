{#
    The positions of a record's values (docs/feeds/dms_format.md): by name with a header, else after DMS's own fields.
    A quote that does not open or close a whole value makes the record malformed (docs/feeds/dms_format.md).
#}
{% macro cdc_csv_layout_sql(cdc, images=[]) -%}
{%- set required = cdc.columns | rejectattr('optional') | list | length -%}
{%- set lead = cdc_csv_lead_sql(cdc) -%}
{%- set opened = cdc_csv_patterns(cdc.options.delimiter).opened -%}
{%- set malformed_if -%}
    {{ cdc_csv_undecodable_sql(cdc) }}
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
laid_out as (
    {%- if cdc.options.header %}
    select
        *,
        case
            {{ malformed_if }}
            {{ cdc_csv_header_defects_sql(cdc) | indent(12) }}
        end as _cdc_malformed
    from (
        select
            *,
            transform(_cdc_names, name -> {{ _cdc_header_name_sql(cdc, images) | indent(12) }}) as _cdc_header
        from (
            select
                *,
                transform(
                    first_value(_cdc_fields) over (partition by _cdc_file_key order by _cdc_row),
                    field -> {{ cdc_csv_name_sql('field') | indent(20) }}
                ) as _cdc_names
            from split
        )
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
    The name that a header gives a field, in lower case. DMS's own columns are marked: a column op of the source is not Op.
    Where no field has the exact name of the timestamp or the change sequence, one that differs in case is it.
#}
{% macro _cdc_header_name_sql(cdc, images) -%}
{%- set exact = (['Op'] if cdc.options.operation_column != 'never' else []) + images -%}
{%- set columns = [cdc.options.timestamp_column, cdc.options.change_sequence_column] | select | list -%}
case
    {%- for own in exact %}
    when name = {{ adapter.string_literal(own) }} then {{ adapter.string_literal('=' ~ own | lower) }}
    {%- endfor %}
    {%- for own in columns %}
    when
        name = {{ adapter.string_literal(own) }}
        or lower(name) = {{ adapter.string_literal(own | lower) }} and not array_contains(_cdc_names, {{ adapter.string_literal(own) }})
        then {{ adapter.string_literal('=' ~ own | lower) }}
    {%- endfor %}
    else lower(name)
end
{%- endmacro %}
