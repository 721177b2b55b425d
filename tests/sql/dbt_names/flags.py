"""dbt's `flags`, for sqlfluff: those of a build."""

from __future__ import annotations

WHICH = "build"
EMPTY = False
