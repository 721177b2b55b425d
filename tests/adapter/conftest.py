"""One Spark session and one Iceberg warehouse for all tests of the adapter; every test class has its own schema."""

from __future__ import annotations

import pytest

from dbt.adapters.sparksession.credentials import SparksessionCredentials
from dbt.adapters.sparksession.session import SessionPool, get_pool

pytest_plugins = ["dbt.tests.fixtures.project"]

PACKAGES = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0,org.xerial:sqlite-jdbc:3.50.3.0"


def spark_config(warehouse: str) -> dict[str, str]:
    """Configuration of an embedded Iceberg warehouse in the folder given."""
    catalog = "spark.sql.catalog.lakehouse"
    return {
        "spark.master": "local[2]",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.jars.packages": PACKAGES,
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{warehouse}/catalog.db?busy_timeout=60000",
        f"{catalog}.warehouse": warehouse,
        f"{catalog}.cache-enabled": "false",
        f"{catalog}.jdbc.schema-version": "V1",
        "spark.sql.defaultCatalog": "lakehouse",
        "spark.sql.warehouse.dir": f"{warehouse}/spark",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
    }


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
