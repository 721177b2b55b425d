from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def environment(lakehouse_root):
    """Each module finds the landing area and the warehouse of this process."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # dbt and pyspark warn about their own code.
    for item in items:
        if "tests/e2e" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="module")
def empty_lakehouse(shared_lakehouse):
    """The lakehouse of this process, without what other modules left in it."""
    shared_lakehouse.clear()
    return shared_lakehouse
