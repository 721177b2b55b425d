{#
    Quarantined rows that nobody has to look at any more. Newer content of their file has their row or, of a load, is
    there at all. It has to be of the same generation: silver keeps what a reload lacks until the reload has ended.
    Where silver holds the current state only, a later change of their key that brings the whole row, or a later reset
    point, does the same. In a history each of them is a version that is missing. A row that is only marked as deleted
    keeps its last image, which a delete and a reset point do not bring.
#}
{% macro cdc_overtaken_sql(cdc, bronze) -%}
with quarantined as (
    select
        *,
        {{ cdc_sequence_part('_cdc_sequence', 'modified_millis') }} as _cdc_modified_millis
    from {{ bronze }}
    where _cdc_quarantine_rule is not null
),

loads as (
    {{ cdc_newest_loads_sql(bronze) | indent(4) }}
),

reset_point as (
    select max({{ cdc_reset_point_sql() | indent(8) }}) as newest
    from {{ bronze }}
    where _cdc_quarantine_rule is null
)

select quarantined._cdc_sequence
from {{ bronze }} as newer
inner join quarantined
    on
        newer._cdc_generation = quarantined._cdc_generation
        and newer._cdc_source_file = quarantined._cdc_source_file
        and newer._cdc_file_row = quarantined._cdc_file_row
        and {{ cdc_sequence_part('newer._cdc_sequence', 'modified_millis') }} > quarantined._cdc_modified_millis
union all
select quarantined._cdc_sequence
from quarantined
inner join loads
    on
        quarantined._cdc_generation = loads._cdc_generation
        and quarantined._cdc_source_file = loads._cdc_source_file
        and quarantined._cdc_modified_millis < loads.modified_millis
where {{ cdc_is_load_sql('quarantined') }}
union all
select quarantined._cdc_sequence
from quarantined
inner join reset_point on quarantined._cdc_sequence < reset_point.newest
{{ "where quarantined._cdc_quarantine_rule = 'incomplete_reload'"
    if not cdc.silver or cdc.silver.mode == 'history' or cdc.silver.is_soft }}
{%- if cdc.has_key %}
union all
{{ _corrected_keys_sql(cdc.silver, bronze) }}
{%- endif %}
{%- endmacro %}


{#
    Of rows whose key is beyond doubt: it could be read, and it was no other before. A change that does not carry all
    values takes the others from the row.
#}
{% macro _corrected_keys_sql(cdc, bronze) -%}
select quarantined._cdc_sequence
from {{ bronze }} as _cdc_log
inner join quarantined
    on
        _cdc_log._cdc_sequence > quarantined._cdc_sequence
        and {{ cdc_same_key_sql(cdc, '_cdc_log', 'quarantined') }}
where
    _cdc_log._cdc_quarantine_rule is null
    and not {{ cdc_is_superseded_sql('_cdc_log', bronze) | indent(4) }}
    and _cdc_log._cdc_operation in ('I', 'U', 'L'{{ ", 'D'" if not cdc.is_soft }})
    and (_cdc_log._cdc_operation = 'D' or coalesce(size(_cdc_log._cdc_unavailable_columns), 0) <= 0)
    and quarantined._cdc_old_key is null
    and quarantined._cdc_quarantine_rule in ('uncastable_value', 'schema_drift')
    {%- for key in cdc.primary_key %}
    and not quarantined._cdc_quarantine_reason
        rlike {{ adapter.string_literal('(?i)(^|; )[^\']*\\Q' ~ key ~ '\\E is ') }}
    {%- endfor %}
{%- endmacro %}
