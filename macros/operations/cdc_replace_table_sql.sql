{% macro cdc_replace_table_sql(relation, partition_by, properties, rows_sql) -%}
create or replace table {{ relation }}
using iceberg
{%- if partition_by %}
partitioned by ({{ partition_by | join(', ') }})
{%- endif %}
{%- if properties %}
tblproperties (
    {%- for name, value in properties.items() %}
    {{ adapter.string_literal(name) }} = {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endif %}
as
{{ rows_sql }}
{%- endmacro %}
