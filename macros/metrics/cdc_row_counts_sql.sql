{# Iceberg counts the rows of a MERGE, and the way `replace` counts its own; a plain write is all inserts. #}
{% macro cdc_row_counts_sql() -%}
cast(coalesce(
    summary['spark.merge-into.num-target-rows-inserted'],
    cast(summary['added-records'] as bigint) - coalesce(cast(summary['cdc.rows-updated'] as bigint), 0),
    0
) as bigint) as rows_inserted,
cast(coalesce(
    summary['spark.merge-into.num-target-rows-updated'], summary['cdc.rows-updated'], '0'
) as bigint) as rows_updated,
cast(coalesce(
    summary['spark.merge-into.num-target-rows-deleted'], summary['cdc.rows-deleted'], '0'
) as bigint) as rows_deleted
{%- endmacro %}
