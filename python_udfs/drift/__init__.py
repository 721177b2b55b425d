"""Reports the changes that waiting files and messages would make to the tables. ``python -m python_udfs.drift``."""
