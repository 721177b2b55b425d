{# Whether a row of bronze is of older content of an object that was overwritten (record 28). #}
{% macro cdc_is_void_sql(alias, bronze) -%}
exists (
    select 1
    from {{ bronze }} as marker
    where
        marker._cdc_operation = 'X'
        and marker._cdc_quarantine_rule is null
        and {{ cdc_object_of_sql('marker._cdc_sequence') }} = {{ cdc_object_of_sql(alias ~ '._cdc_sequence') }}
        and {{ cdc_version_of_sql('marker._cdc_sequence') }} > {{ cdc_version_of_sql(alias ~ '._cdc_sequence') }}
)
{%- endmacro %}
