"""Shared by the commands: `console.py` for people, arguments and exit codes, `dbt.py` for runs of dbt."""
