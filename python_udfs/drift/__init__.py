"""What waiting files and messages would change in the tables, before a run does it. ``python -m python_udfs.drift``."""
