{# The rows of queries of tables as findings: in a test of tables that cannot all be asked. #}
{% macro cdc_findings_sql(rows_sql) -%}
select
    feed,
    source_schema,
    source_table,
    to_json(struct(*)) as finding
from (
    {{ rows_sql | indent(4) }}
)
{%- endmacro %}
