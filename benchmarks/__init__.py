"""Measures the project against hand-written Spark, on data written here; `make bench`."""
