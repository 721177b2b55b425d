{# Rows in quarantine that are not good rows of bronze, too. One read twice counts once, superseded ones never. #}
{% macro cdc_waiting_sql(bronze) -%}
select
    _cdc_bad._cdc_sequence,
    max_by(struct(_cdc_bad.*), _cdc_bad._cdc_batch_id) as bad
from {{ bronze }} as _cdc_bad
left anti join {{ bronze }} as good
    on _cdc_bad._cdc_sequence = good._cdc_sequence and {{ cdc_is_released_sql('good') }}
where
    _cdc_bad._cdc_quarantine_rule is not null
    and not {{ cdc_is_superseded_sql('_cdc_bad', bronze) | indent(4) }}
group by _cdc_bad._cdc_sequence
{%- endmacro %}
