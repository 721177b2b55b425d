"""One Spark session and one Iceberg warehouse for all tests of the adapter; every test class has its own schema."""

from __future__ import annotations

import pytest
from embedded import spark_config

from dbt.adapters.sparksession.credentials import SparksessionCredentials
from dbt.adapters.sparksession.session import SessionPool, get_pool

pytest_plugins = ["dbt.tests.fixtures.project"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The suites of dbt-tests-adapter and dbt itself warn about their own code.
    for item in items:
        if "tests/adapter" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("warehouse"))


@pytest.fixture(scope="class")
def dbt_profile_target(warehouse):
    return {
        "type": "sparksession",
        "threads": 2,
        "create_directories": [warehouse],
        "config": spark_config(warehouse),
    }


@pytest.fixture(scope="class")
def project_config_update():
    return {name: {"+file_format": "iceberg"} for name in ("models", "seeds", "snapshots")}


@pytest.fixture(scope="session")
def pool(warehouse, tmp_path_factory) -> SessionPool:
    """The sessions of the one Spark of this process, without dbt."""
    credentials = SparksessionCredentials(schema="none", create_directories=[warehouse], config=spark_config(warehouse))
    return get_pool(credentials, str(tmp_path_factory.mktemp("root")), str(tmp_path_factory.mktemp("logs")))


@pytest.fixture
def session(pool):
    taken = pool.take()
    pool.enter(taken, "test", "test")
    yield taken
    pool.give_back(taken)
