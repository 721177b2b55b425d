{% macro cdc_replace_table_sql(relation, partition_by, properties, rows_sql) -%}
create or replace table {{ relation }}
using iceberg
{%- if partition_by %}
partitioned by ({{ partition_by | join(', ') }})
{%- endif %}
{%- if properties %}
{{ cdc_properties_sql(properties) }}
{%- endif %}
as
{{ rows_sql }}
{%- endmacro %}
