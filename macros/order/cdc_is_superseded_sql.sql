{# Whether a row of bronze is of older content of a file that was overwritten (record 28). #}
{% macro cdc_is_superseded_sql(alias, bronze) -%}
exists (
    select 1
    from {{ bronze }} as marker
    where
        marker._cdc_operation = 'X'
        and marker._cdc_quarantine_rule is null
        and {{ cdc_file_hash_sql('marker._cdc_sequence') }} = {{ cdc_file_hash_sql(alias ~ '._cdc_sequence') }}
        and {{ cdc_modified_at_sql('marker._cdc_sequence') }} > {{ cdc_modified_at_sql(alias ~ '._cdc_sequence') }}
)
{%- endmacro %}
