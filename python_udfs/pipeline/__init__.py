"""Decisions of the pipeline as typed values. Nothing here imports Spark or dbt."""
