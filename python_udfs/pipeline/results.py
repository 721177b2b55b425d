"""Words that dbt has for what became of a node."""

from __future__ import annotations

# Of a model; then of a data test.
BUILT = "success"
TEST_PASSED, TEST_WARNED, TEST_FAILED = "pass", "warn", "fail"
SKIPPED = "skipped"
STOPPED = frozenset({"error", "runtime error"})
FAILED = frozenset({TEST_FAILED, *STOPPED})
PASSED = frozenset({BUILT, TEST_PASSED, TEST_WARNED})
