from __future__ import annotations

import pytest

pytest.register_assert_rewrite("harness")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark: starts a Spark of its own (about ten seconds)")
