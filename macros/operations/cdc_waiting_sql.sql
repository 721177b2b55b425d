{#
    Rows in quarantine that somebody has to look at: they are no good rows of bronze, too, and nothing has overtaken them. One
    read twice counts once, superseded ones never. A reload that waits is no row of the source.
#}
{% macro cdc_waiting_sql(cdc, bronze) -%}
with overtaken as (
    {{ cdc_overtaken_sql(cdc, bronze) | indent(4) }}
)

select
    _cdc_bad._cdc_sequence,
    max_by(struct(_cdc_bad.*), _cdc_bad._cdc_batch_id) as bad
from {{ bronze }} as _cdc_bad
left anti join {{ bronze }} as good
    on _cdc_bad._cdc_sequence = good._cdc_sequence and {{ cdc_is_released_sql('good') }}
left anti join overtaken on _cdc_bad._cdc_sequence = overtaken._cdc_sequence
where
    _cdc_bad._cdc_quarantine_rule <> 'incomplete_reload'
    and not {{ cdc_is_superseded_sql('_cdc_bad', bronze) | indent(4) }}
group by _cdc_bad._cdc_sequence
{%- endmacro %}
