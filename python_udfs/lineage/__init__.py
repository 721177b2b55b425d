"""`make lineage`: what the last run of dbt read and wrote, by table and by column, as OpenLineage events."""
