{% macro cdc_bronze_is_missing_message(silver, bronze) -%}
CDC error in {{ silver }} (cdc_merge): its bronze table {{ bronze }} does not exist yet. Silver is built from bronze: run
`dbt build`, or `dbt run --select +{{ model.name }}`.
{%- endmacro %}
