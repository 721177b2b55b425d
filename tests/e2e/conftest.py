from __future__ import annotations

import os

import pytest
from lakehouse import Lakehouse, set_environment

LONGEST = (
    "test_benchmarks",
    "test_contract_cases",
    "test_maintenance",
    "test_pipeline",
    "test_recovery",
    "test_histories",
    "test_forms",
)


@pytest.fixture(scope="session", autouse=True)
def lakehouse_root(tmp_path_factory):
    """Where the one Spark session of this process finds the landing area and the warehouse."""
    root = tmp_path_factory.mktemp("lakehouse")
    set_environment(root)
    os.environ["SPARK_DRIVER_MEMORY"] = "6g"
    return root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The longest files go first: two processes share the files, and none should wait for them at the end.
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))
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
