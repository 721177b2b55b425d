"""Version of the package, read by dbt."""

from __future__ import annotations

version = "0.1.0"
