"""Processes of a cluster that are killed in the middle of a run (`make test-cluster`): the next one ends it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import psutil
import pytest

from python_udfs.sample_data import scenarios
from python_udfs.sample_data.land import land_changes, land_full_load
from tests.cluster.clusters import Cluster, Driver, a_driver
from tests.cluster.servers import processes

WORKER = "org.apache.spark.deploy.worker.Worker"
SECONDS_TO_WAIT = 600


def commits(cluster: Cluster, schema: str) -> int:
    """How many commits the tables of a schema have had, by the files that the catalog has written."""
    return len(list((cluster.store.folder / "lake" / "rest" / schema).rglob("*.metadata.json")))


def wait_for(happened: Callable[[], bool], driver: Driver) -> None:
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not happened():
        assert not driver.has_answered(), driver.answer()["messages"][-40:]
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def kill(process: psutil.Process) -> None:
    """Ends a process, and all that it started, without a word of warning."""
    for member in [*process.children(recursive=True), process]:
        member.send_signal(signal.SIGKILL)
    psutil.wait_procs([process], timeout=30)


@pytest.mark.parametrize(("schema", "at"), [("etl_metadata", 3), ("bronze", 4), ("silver", 3)])
def test_a_driver_is_killed_in_the_middle_of_a_run(cluster: Cluster, schema: str, at: int) -> None:
    if schema == "etl_metadata":
        cluster.land(land_full_load)
    before = commits(cluster, schema)
    with a_driver(cluster) as driver:
        driver.send("run_dbt", "run")
        wait_for(lambda: commits(cluster, schema) >= before + at, driver)
        kill(psutil.Process(driver.process.pid))


def test_after_the_kills_silver_equals_the_source(cluster: Cluster) -> None:
    cluster.land(land_changes)
    with a_driver(cluster) as driver:
        driver.dbt("build")
        assert driver("differences") == []
        doubled = "select count(*) - count(distinct _cdc_source_file, _cdc_file_row) from bronze."
        for table in driver("snapshots"):
            if table.startswith("bronze."):
                name = table.removeprefix("bronze.")
                assert driver("sql", doubled + name) == [[0]], f"{name} has rows twice"


@pytest.mark.parametrize("victim", ["executor", "worker"])
def test_a_merge_goes_on_when_an_executor_or_its_machine_is_lost(cluster: Cluster, victim: str) -> None:
    # The changes come once more, a day later: each is newer than what silver has.
    day = {"executor": 15, "worker": 16}[victim]
    with a_driver(cluster) as driver:
        driver.dbt("run", "--select", "rejected_files")
        assert len(cluster.spark.executors()) == 2
        cluster.land(lambda root: land_changes(root, scenarios.CURRENT_DAY.replace(day=day)))
        before = commits(cluster, "silver")
        driver.send("run_dbt", "run")
        wait_for(lambda: commits(cluster, "silver") > before, driver)
        lost = processes(WORKER)[0] if victim == "worker" else cluster.spark.executors()[0]
        kill(lost)
        outcome = driver.answer()
        assert outcome["success"], outcome["messages"][-20:]
        assert commits(cluster, "silver") > before + 1, "nothing was merged after the kill"
        compared = driver.dbt("test", "--select", "silver", "--vars", "cdc_compare_days: 0")
        assert "fail" not in compared.values()
        assert "Lost executor" in (cluster.project / "logs" / "spark.log").read_text()
