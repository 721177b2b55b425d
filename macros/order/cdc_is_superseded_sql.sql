{# Whether a row of bronze is of older content of a file that was overwritten (record 28). #}
{% macro cdc_is_superseded_sql(alias, bronze) -%}
exists (
    select 1
    from {{ bronze }} as marker
    where
        marker._cdc_operation = 'X'
        and marker._cdc_quarantine_rule is null
        and marker._cdc_source_file = {{ alias }}._cdc_source_file
        and {{ cdc_sequence_part('marker._cdc_sequence', 'modified_millis') }}
            > {{ cdc_sequence_part(alias ~ '._cdc_sequence', 'modified_millis') }}
)
{%- endmacro %}
