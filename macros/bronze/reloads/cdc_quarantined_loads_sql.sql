{# Whether bronze has quarantined rows of load files that came again: they are compared by their content. #}
{% macro cdc_quarantined_loads_sql(bronze, earlier) -%}
(
    select count(*) > 0
    from {{ bronze }}
    where
        _cdc_quarantine_rule is not null
        and _cdc_source_file in (
            {%- for file in earlier %}
            {{ adapter.string_literal(file.file_key) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
)
{%- endmacro %}
