"""Shared by all kinds of tests: one Java per process, and one lakehouse for the tests of the whole pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.lakehouse import Lakehouse, set_environment
from tests.one_java import set_java, set_started_java

# In this order Spark is started again as seldom as can be.
KINDS = ("airflow", "cluster", "unit", "adapter", "real", "e2e")
# Two processes share the files of tests: the longest go first, and none has to wait for them at the end.
LONGEST = (
    "test_debezium",
    "test_macros_on_spark",
    "test_source_to_silver",
    "test_kafka",
    "test_kafka_to_silver",
    "test_capture",
    "test_discover",
    "test_engines",
    "test_gold",
    "test_gold_frozen",
    "test_contract_cases",
    "test_maintenance",
    "test_pipeline",
    "test_recovery",
    "test_histories",
    "test_names",
    "test_two_runs",
    "test_other_engines",
    "test_report",
    "test_lost_state",
    "test_checks",
    "test_parsed_again",
    "test_file_versions",
    "test_quality",
    "test_watch",
    "test_message_cases",
    "test_silver_folds",
    "test_overwritten_files",
    "test_forms",
)


def pytest_configure() -> None:
    set_java()


def pytest_runtest_setup() -> None:
    set_started_java()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent

    def rank(item: pytest.Item) -> tuple[int, int]:
        kind, name = item.path.relative_to(folder).parts[0], item.path.stem
        return KINDS.index(kind), LONGEST.index(name) if name in LONGEST else len(LONGEST)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def lakehouse_root(tmp_path_factory) -> Path:
    """Where Spark finds the landing area and the warehouse."""
    root = tmp_path_factory.mktemp("lakehouse")
    set_environment(root)
    return root


@pytest.fixture(scope="session")
def shared_lakehouse(lakehouse_root) -> Lakehouse:
    """The lakehouse of this process and its one Spark session: who takes it clears it first."""
    return Lakehouse(lakehouse_root)
