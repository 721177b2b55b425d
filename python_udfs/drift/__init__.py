"""What the files that wait would change in the tables, before a run does it. ``python -m python_udfs.drift``."""
