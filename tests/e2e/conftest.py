from __future__ import annotations

import os

import pytest
from lakehouse import Lakehouse, set_environment


@pytest.fixture(scope="session", autouse=True)
def lakehouse_root(tmp_path_factory):
    """Where the one Spark session of this process finds the landing area and the warehouse."""
    root = tmp_path_factory.mktemp("lakehouse")
    set_environment(root)
    os.environ["SPARK_DRIVER_MEMORY"] = "6g"
    return root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The longest single tests go first: two processes share the files, and none should wait for them at the end.
    items.sort(key=lambda item: item.path.name not in ("test_recovery.py", "test_benchmarks.py"))
    # dbt and pyspark warn about their own code.
    for item in items:
        if "tests/e2e" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def shared_lakehouse(lakehouse_root):
    return Lakehouse(lakehouse_root)


@pytest.fixture(scope="module")
def empty_lakehouse(shared_lakehouse):
    """The lakehouse of this process, without what other modules left in it."""
    shared_lakehouse.clear()
    return shared_lakehouse
