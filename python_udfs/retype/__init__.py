"""Which types the columns of a table get (`dbt run-operation change_types`)."""
