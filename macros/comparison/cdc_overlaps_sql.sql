{% macro cdc_overlaps_sql(cdc, silver) -%}
with versions as (
    select
        *,
        lead(_cdc_valid_from)
            over (partition by {{ cdc_key_list_sql(cdc) }} order by _cdc_sequence) as _cdc_next_valid_from
    from {{ silver }}
)

select
    {{ get_quoted_csv(cdc.primary_key) }},
    _cdc_valid_from,
    _cdc_valid_to,
    _cdc_next_valid_from,
    _cdc_sequence
from versions
where
    _cdc_valid_to < _cdc_valid_from
    or _cdc_next_valid_from < _cdc_valid_to
    or (_cdc_next_valid_from is not null and _cdc_valid_to is null)
{%- endmacro %}
