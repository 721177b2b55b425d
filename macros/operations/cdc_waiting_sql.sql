{# Rows in quarantine that are not good rows of bronze, too. One read twice counts once, superseded ones never. #}
{% macro cdc_waiting_sql(bronze) -%}
select
    bad._cdc_sequence,
    max_by(struct(bad.*), bad._cdc_batch_id) as bad
from {{ bronze }} as bad
left anti join {{ bronze }} as good
    on bad._cdc_sequence = good._cdc_sequence and {{ cdc_is_released_sql('good') }}
where
    bad._cdc_quarantine_rule is not null
    and not {{ cdc_is_superseded_sql('bad', bronze) | indent(4) }}
group by bad._cdc_sequence
{%- endmacro %}
