{# As dbt-spark would write them; its own macros read the configuration of the model that runs, and none does. #}
{% macro cdc_table_clauses_sql(settings) -%}
using iceberg
{%- set partition_by = settings.get('partition_by') %}
{%- if partition_by %}
partitioned by ({{ [partition_by] | join if partition_by is string else partition_by | join(', ') }})
{%- endif %}
{%- set properties = adapter.table_properties(settings) %}
{%- if properties %}
tblproperties (
    {%- for name, value in properties.items() %}
    {{ adapter.string_literal(name) }} = {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endif %}
{%- endmacro %}
