{# Iceberg counts the rows of a MERGE; a plain write, such as the first one, is all inserts. #}
{% macro cdc_row_counts_sql() -%}
cast(coalesce(
    summary['spark.merge-into.num-target-rows-inserted'], summary['added-records'], '0'
) as bigint) as rows_inserted,
cast(coalesce(summary['spark.merge-into.num-target-rows-updated'], '0') as bigint) as rows_updated,
cast(coalesce(summary['spark.merge-into.num-target-rows-deleted'], '0') as bigint) as rows_deleted
{%- endmacro %}
