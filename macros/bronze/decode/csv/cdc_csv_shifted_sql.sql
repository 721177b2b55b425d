{#
    A record that lacks an optional column after the order has seen a value in it: a column was dropped at the source,
    and the values behind it moved (docs/feeds/dms_format.md, DDL). A record is earlier if its sequence is smaller, in
    this batch or in bronze, so the cut into batches does not count.
#}
{% macro cdc_csv_shifted_sql(optional, position_sql, bronze) -%}
carried as (
    select
        {%- for column in optional %}
        min(if(_cdc_carried[{{ loop.index0 }}], _cdc_sequence, null))
            as _cdc_first_{{ loop.index }}{{ ',' if not loop.last }}
        {%- endfor %}
    from (
        select
            {{ cdc_sequence_sql(position_sql) | indent(12) }} as _cdc_sequence,
            array(
                {%- for column in optional %}
                {{ column.value }} is not null{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _cdc_carried
        from records
        where _cdc_malformed is null
        {%- if bronze is not none %}
        union all
        select
            _cdc_sequence,
            array(
                {%- for column in optional %}
                {{ adapter.quote(column.name) }} is not null{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _cdc_carried
        from {{ bronze }}
        where not _cdc_quarantine_rule <=> 'malformed_record'
        {%- endif %}
    ) as earlier
),

checked as (
    select
        records.*,
        case
            {%- for column in optional %}
            when
                size(_cdc_fields) < _cdc_lead + {{ column.position }}
                and _cdc_first_{{ loop.index }} < {{ cdc_sequence_sql(position_sql) | indent(16) }}
                then concat(
                    'the record has ', size(_cdc_fields), ' fields, but an earlier one has a value in ',
                    {{ adapter.string_literal(column.name) }}, ': was a column dropped at the source?'
                )
            {%- endfor %}
        end as _cdc_shifted
    from records
    cross join carried
)
{%- endmacro %}
