{#
    Rows in quarantine that somebody has to look at: they are no good rows of bronze, too, and nothing has overtaken them. One
    read twice counts once, superseded ones never. A reload that waits is no row of the source.
#}
{% macro cdc_waiting_sql(cdc, bronze) -%}
with overtaken as (
    {{ cdc_overtaken_sql(cdc, bronze) | indent(4) }}
)

select
    bad._cdc_sequence,
    max_by(struct(bad.*), bad._cdc_batch_id) as bad
from {{ bronze }} as bad
left anti join {{ bronze }} as good
    on bad._cdc_sequence = good._cdc_sequence and {{ cdc_is_released_sql('good') }}
left anti join overtaken on bad._cdc_sequence = overtaken._cdc_sequence
where
    bad._cdc_quarantine_rule <> 'incomplete_reload'
    and not {{ cdc_is_superseded_sql('bad', bronze) | indent(4) }}
group by bad._cdc_sequence
{%- endmacro %}
