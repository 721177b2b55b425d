"""Writes the generated half of the dbt project from the seeds: `python -m python_udfs.codegen`, or `make models`."""
