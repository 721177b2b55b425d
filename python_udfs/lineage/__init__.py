"""`make lineage`: what the last run of dbt read and wrote, table by table and column by column, as OpenLineage events."""
