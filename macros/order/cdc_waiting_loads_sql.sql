{#
    Quarantined rows of load files for which a reload waits: bronze has neither the row as a good one nor newer content
    of its file of which each row could be read.
#}
{% macro cdc_waiting_loads_sql(bronze) -%}
with waiting as (
    select
        _cdc_bad._cdc_generation as generation,
        _cdc_bad._cdc_source_file as source_file,
        _cdc_bad._cdc_file_row as file_row,
        _cdc_bad._cdc_quarantine_reason as reason,
        {{ cdc_sequence_part('_cdc_bad._cdc_sequence', 'modified_millis') }} as modified_millis
    from {{ bronze }} as _cdc_bad
    left anti join {{ bronze }} as good
        on _cdc_bad._cdc_sequence = good._cdc_sequence and {{ cdc_is_released_sql('good') }}
    where _cdc_bad._cdc_quarantine_rule is not null and {{ cdc_is_load_sql('_cdc_bad') }}
),

newest as (
    {{ cdc_newest_loads_sql(bronze, 'waiting') | indent(4) }}
)

select waiting.*
from waiting
left anti join newest
    on waiting.source_file = newest._cdc_source_file and waiting.modified_millis < newest.modified_millis
{%- endmacro %}
