"""`python -m python_udfs.run`: one build for a scheduler, with a result per table as JSON."""
