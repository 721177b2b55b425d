{#
    Spark counts the rows of a MERGE, and the way `replace` its own; a plain write is all inserts. NULL: nobody counted
    them, because the Spark that ran the MERGE counts none.
#}
{% macro cdc_row_counts_sql() -%}
{%- set is_uncounted = "summary['cdc.rows-not-counted'] is not null" -%}
cast(if({{ is_uncounted }}, null, coalesce(
    summary['spark.merge-into.num-target-rows-inserted'],
    cast(summary['added-records'] as bigint) - coalesce(cast(summary['cdc.rows-updated'] as bigint), 0),
    0
)) as bigint) as rows_inserted,
cast(if({{ is_uncounted }}, null, coalesce(
    summary['spark.merge-into.num-target-rows-updated'], summary['cdc.rows-updated'], '0'
)) as bigint) as rows_updated,
cast(if({{ is_uncounted }}, null, coalesce(
    summary['spark.merge-into.num-target-rows-deleted'], summary['cdc.rows-deleted'], '0'
)) as bigint) as rows_deleted
{%- endmacro %}
