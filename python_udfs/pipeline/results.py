"""Words that dbt has for what became of a node."""

from __future__ import annotations

STOPPED = frozenset({"error", "runtime error"})
FAILED = frozenset({"fail", *STOPPED})
PASSED = frozenset({"success", "pass", "warn"})
SKIPPED = "skipped"
