{#
    Rows in quarantine that somebody has to look at: they are no good rows of bronze, too, and nothing has overtaken
    them. One read twice counts once, superseded ones never. A reload that waits is no row of the source; it waits for
    each row of its load, also for one that a later change of its key has overtaken.
#}
{% macro cdc_waiting_sql(cdc, bronze) -%}
with overtaken as (
    {{ cdc_overtaken_sql(cdc, bronze) | indent(4) }}
),

held as (
    {{ cdc_held_reloads_sql(bronze) | indent(4) }}
),

loads as (
    {{ cdc_waiting_loads_sql(bronze) | indent(4) }}
),

not_needed as (
    select overtaken._cdc_sequence
    from overtaken
    inner join {{ bronze }} as _cdc_bad on overtaken._cdc_sequence = _cdc_bad._cdc_sequence
    left join loads
        on
            _cdc_bad._cdc_source_file = loads.source_file
            and _cdc_bad._cdc_file_row = loads.file_row
            and _cdc_bad._cdc_generation = loads.generation
    left join held on loads.generation = held.generation
    group by overtaken._cdc_sequence
    having count(held.generation) = 0
)

select
    _cdc_bad._cdc_sequence,
    max_by(struct(_cdc_bad.*), _cdc_bad._cdc_batch_id) as bad
from {{ bronze }} as _cdc_bad
left anti join {{ bronze }} as good
    on _cdc_bad._cdc_sequence = good._cdc_sequence and {{ cdc_is_released_sql('good') }}
left anti join not_needed on _cdc_bad._cdc_sequence = not_needed._cdc_sequence
where
    _cdc_bad._cdc_quarantine_rule <> 'incomplete_reload'
    and not {{ cdc_is_superseded_sql('_cdc_bad', bronze) | indent(4) }}
group by _cdc_bad._cdc_sequence
{%- endmacro %}
