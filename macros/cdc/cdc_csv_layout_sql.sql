{#
    Where the values of a record stand (docs/contracts.md section 1.3): with a header by name, whatever its case;
    without one after the operation and timestamp columns, of which LOAD files have one fewer unless the feed says
    always. Records of mixed objects have table and schema after the operation (section 1.4).
#}
{% macro cdc_csv_layout_sql(cdc) -%}
{%- set required = cdc.columns | rejectattr('optional') | list | length -%}
{%- set timestamps = 1 if cdc.options.get('timestamp_column') else 0 -%}
{%- set lead = {
    'auto': 'if(_cdc_kind = ' ~ "'load'" ~ ', ' ~ timestamps ~ ', ' ~ (timestamps + 1) ~ ')',
    'always': timestamps + 1,
    'never': timestamps
}[cdc.options.operation_column] -%}
{%- if cdc.get('split') -%}
    {%- set lead = 'if(_cdc_kind = ' ~ "'mixed'" ~ ', ' ~ (timestamps + 3) ~ ', ' ~ lead ~ ')' -%}
{%- endif -%}
{%- set malformed_if -%}
    when (length(_cdc_content) - length(replace(_cdc_content, '"', ''))) % 2 = 1 then 'a quoted value is not closed'
            when exists(_cdc_fields, field -> field like '"%' and replace(field, '""', '') not rlike '^("[^"]*")?\\z')
                then 'text follows a quoted value'
{%- endset -%}
placed as (
    {%- if cdc.options.header %}
    select
        *,
        case
            {{ malformed_if }}
            when size(_cdc_fields) <> size(_cdc_header)
                then concat('the record has ', size(_cdc_fields), ' fields, expected ', size(_cdc_header))
        end as _cdc_malformed
    from (
        select
            *,
            transform(
                first_value(_cdc_fields) over (partition by _cdc_object_key order by _cdc_row),
                field -> lower(replace(trim(both '"' from field), '""', '"'))
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
