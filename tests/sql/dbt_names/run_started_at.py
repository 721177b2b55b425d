"""dbt's `run_started_at`, for sqlfluff, which knows most of dbt's names but not this one."""

from __future__ import annotations


def strftime(template: str) -> str:
    """Return a fixed moment, whatever the template."""
    return "2026-01-31 12:00:00.000000"
