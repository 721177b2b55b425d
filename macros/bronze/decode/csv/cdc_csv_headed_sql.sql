{#
    The names that the header of its file gives the fields of a record, in lower case. DMS's own columns are marked: a
    column op of the source is not Op. If no field has the exact name of the timestamp or the change sequence, one that
    differs in case is it.
#}
{% macro cdc_csv_headed_sql(layout) -%}
named as (
    select
        *,
        transform(
            first_value(_cdc_fields) over (partition by _cdc_file_key order by _cdc_row),
            field -> {{ cdc_csv_name_sql('field') | indent(12) }}
        ) as _cdc_names
    from split
),

headed as (
    select
        *,
        transform(_cdc_names, name -> case
            when name = '' then ''
            {%- for own, marked in layout.exact_names.items() %}
            when name = {{ adapter.string_literal(own) }} then {{ adapter.string_literal(marked) }}
            {%- endfor %}
            {%- for own, marked in layout.near_names.items() %}
            when
                name = {{ adapter.string_literal(own) }}
                or lower(name) = {{ adapter.string_literal(own | lower) }}
                and not array_contains(_cdc_names, {{ adapter.string_literal(own) }})
                then {{ adapter.string_literal(marked) }}
            {%- endfor %}
            else lower(name)
        end) as _cdc_header
    from named
)
{%- endmacro %}
