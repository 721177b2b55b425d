from __future__ import annotations

import pytest
from small_spark import small_spark

pytest.register_assert_rewrite("harness")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark: needs Spark, which `make test-fast` forbids")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def spark():
    """One Spark for the tests of Python functions."""
    return small_spark()
