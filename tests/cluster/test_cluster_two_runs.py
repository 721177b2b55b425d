"""Two drivers on one cluster and one REST catalog, at once (`make test-cluster`; RUNS=50 for as many rounds).

Both pause at random steps of their writes, so that each comes second at each of them.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from random import Random

from python_udfs.sample_data import scenarios
from python_udfs.sample_data.land import land_changes, land_full_load
from tests.cluster.clusters import Cluster, Driver, a_driver
from tests.e2e.rival import RAN_SECOND

RUNS = int(os.environ.get("RUNS") or 5)
SEED = int(os.environ.get("SEED") or 1)
# The sink of topics writes a file of the same name each day: newer content, whose rows are of another batch.
DOUBLED = "select count(*) - count(distinct _cdc_source_file, _cdc_file_row, _cdc_batch_id) from "


def beside(cluster: Cluster, name: str) -> Cluster:
    """The cluster for a driver that takes one of its two cores, and has artefacts of its own."""
    own = {"SPARK_CORES_MAX": "1", "DBT_TARGET_PATH": f"target-{name}", "DBT_LOG_PATH": f"logs-{name}"}
    return replace(cluster, environment={**cluster.environment, **own})


def check(driver: Driver) -> None:
    driver.dbt("run")
    compared = driver.dbt("test", "--select", "test_name:silver_matches_bronze", "every_raw_file_is_accounted_for")
    assert set(compared.values()) == {"pass", "success"}, compared  # hooks are nodes, too
    for table in driver("snapshots"):
        if table.startswith("bronze."):
            assert driver("sql", DOUBLED + table) == [[0]], f"{table} has rows twice"
    listed = "select count(*) - count(distinct path, size, modified_at) from etl_metadata.raw_listing"
    assert driver("sql", f"{listed} where path is not null") == [[0]]


def test_two_drivers_at_once_double_and_lose_nothing(cluster: Cluster) -> None:
    random = Random(SEED)
    came_second = 0
    cluster.land(land_full_load)
    with ExitStack() as stack:
        drivers = [stack.enter_context(a_driver(beside(cluster, name))) for name in ("one", "two")]
        # Both are started before they meet; then two at once create the tables.
        for number, driver in enumerate(drivers):
            driver.dbt("run", "--select", "rejected_files")
            driver("pauses", SEED + number)
        for number in range(RUNS):
            for driver in drivers:
                driver.send("run_dbt", "run")
                time.sleep(random.uniform(0, 3))
            for outcome in [driver.answer() for driver in drivers]:
                said = [line for line in outcome["messages"] if any(text in line for text in RAN_SECOND)]
                failed = [name for name, status in outcome["statuses"].items() if status == "error"]
                came_second += len(failed)
                unexplained = [name for name in failed if not any(name.split("_", 1)[-1] in line for line in said)]
                assert unexplained == [], outcome["messages"][-40:]
            if number == 1:
                # Later days bring other rows than the source that silver is compared with.
                drivers[0].dbt("run")
                assert drivers[0]("differences") == []
            cluster.land(partial(land_changes, day=scenarios.CURRENT_DAY + timedelta(days=number)))
        check(drivers[0])
    assert came_second > 0, "no two of them ever met"
