"""Version of the package, read by dbt."""

version = "0.1.0"
