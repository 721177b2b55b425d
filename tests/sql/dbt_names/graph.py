"""dbt's `graph`, for sqlfluff: a project without models."""

from __future__ import annotations

nodes: dict[str, object] = {}
