"""The project's purpose, on a cluster with each catalog: `make test-cluster`. Glue has no views.

The tests follow each other on one cluster; each ends with silver as the source is.
"""

from __future__ import annotations

import csv
import os
import time
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from python_udfs.codegen.__main__ import main as make_models
from python_udfs.sample_data import scenarios
from python_udfs.sample_data.dms_writer import Change, Column
from python_udfs.sample_data.land import dms_task, land_changes, land_full_load
from tests.cluster.clusters import Cluster, Driver

pytestmark = pytest.mark.parametrize("cluster", ["rest", "glue"], indirect=True)
VIEWS = ("raw_processed_files", "silver_sync_state", "quarantine")
LATER = scenarios.change_time() + timedelta(hours=12)
STORE = {"id": 77, "address1": "1 Late Street", "city": "Lateness", "state": "WA", "countrycode": "US", "postcode": "1"}


def land_store(cluster: Cluster, operation: Any, written_at: datetime, **cells: Any) -> None:
    """Lands a change of the store of these tests; columns beyond the table's are new at the source."""
    added = tuple(Column(name, pa.string()) for name in cells if name not in STORE)
    table = replace(scenarios.STORE, columns=(*scenarios.STORE.columns, *added))
    change = Change(operation, {**STORE, **cells}, written_at - timedelta(minutes=1))
    cluster.land(lambda root: dms_task(root, "retail").changes(table, [change], written_at))


def store(driver: Driver, columns: str = "city") -> list[list[Any]]:
    return driver("sql", f"select {columns} from silver.sampledb__store where id = 77")


def change_seed(cluster: Cluster, name: str, which: dict[str, str], **cells: str) -> None:
    """Changes the cells of the rows of a seed, and makes the models."""
    path = cluster.project / "seeds" / name
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if which.items() <= row.items():
            row.update(cells)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    assert make_models(["--project-dir", str(cluster.project)]) == 0


def test_the_demonstration_ends_as_the_source(cluster: Cluster, driver: Driver) -> None:
    assert list((cluster.store.folder / "lake").iterdir()) == []
    assert driver("run_dbt", "run-operation", "maintain")["success"], "there is nothing to maintain, and no schema"
    cluster.land(land_full_load)
    driver.dbt("build")
    cluster.land(land_changes)
    statuses = driver.dbt("build")
    assert "error" not in statuses.values()
    assert driver("differences") == []


def test_nothing_new_writes_nothing(driver: Driver) -> None:
    before = driver("snapshots")
    answers = {name: driver("sql", f"select count(*) from etl_metadata.{name}") for name in VIEWS}
    metadata = {name: driver("sql", f"select * from etl_metadata.{name}.snapshots") for name in tables(driver)}
    driver.dbt("build")
    assert driver("snapshots") == before
    assert {name: driver("sql", f"select count(*) from etl_metadata.{name}") for name in VIEWS} == answers
    # A table that stands for a view is not written again either.
    assert {name: driver("sql", f"select * from etl_metadata.{name}.snapshots") for name in metadata} == metadata


def tables(driver: Driver) -> list[str]:
    names = {row[1] for row in driver("sql", "show tables in etl_metadata")}
    return [name for name in VIEWS if name in names]


def test_etl_metadata_answers_the_same_questions(cluster: Cluster, driver: Driver) -> None:
    assert tables(driver) == ([] if cluster.environment["LAKEHOUSE_CATALOG_TYPE"] == "rest" else list(VIEWS))
    statuses = driver("sql", "select status, count(*) from etl_metadata.raw_processed_files group by status")
    assert [status for status, _ in statuses] == ["ingested"]
    assert driver("sql", "select count(*), count(lag_seconds) from etl_metadata.silver_sync_state") == [[9, 9]]
    assert driver.dbt("docs", "generate") is not None


def test_late_files_and_new_columns(cluster: Cluster, driver: Driver) -> None:
    land_store(cluster, "I", LATER)
    driver.dbt("build")
    assert store(driver) == [["Lateness"]]
    # Newer, with a column that the table does not have.
    land_store(cluster, "U", LATER + timedelta(hours=2), city="Newest", opened="2019")
    driver.dbt("build")
    # It was committed before the last one, and comes after it.
    land_store(cluster, "U", LATER + timedelta(hours=1), city="Late")
    statuses = driver.dbt("build")
    assert store(driver, "city, opened") == [["Newest", "2019"]]
    assert statuses["silver_matches_bronze_silver_sampledb__store_"] == "pass"
    files = "select count(*) from etl_metadata.{} where file_key like 'sampledb/store/%'"
    assert driver("sql", files.format("raw_processed_files")) == driver("sql", files.format("raw_listing"))


def test_a_silver_table_becomes_a_history_by_a_rebuild(cluster: Cluster, driver: Driver) -> None:
    change_seed(cluster, "cdc_tables.csv", {"source_table": "store"}, mode="history")
    driver.dbt("seed")
    driver.dbt("run-operation", "rebuild_silver", "--args", "{table: sampledb__store}")
    versions = store(driver, "city, _cdc_valid_to is null")
    assert sorted(versions) == [["Late", False], ["Lateness", False], ["Newest", True]]
    land_store(cluster, "D", LATER + timedelta(hours=3))
    statuses = driver.dbt("build")
    assert "error" not in statuses.values() and "fail" not in statuses.values()
    assert store(driver, "count(*), count(_cdc_valid_to)") == [[3, 3]]


def test_quarantined_rows_are_replayed(cluster: Cluster, driver: Driver) -> None:
    change = Change("I", {"custid": 3_000_000_000, "name": "Grace", "mktsegment": "BUILDING"}, LATER)
    table = replace(scenarios.CUSTOMER, columns=(Column("custid", pa.int64()), *scenarios.CUSTOMER.columns[1:]))
    cluster.land(lambda root: dms_task(root, "crm").changes(table, [change], LATER))
    driver.dbt("build")
    assert driver("sql", "select rule, status from etl_metadata.quarantine") == [["uncastable_value", "waiting"]]
    change_seed(cluster, "cdc_columns.csv", {"source_table": "customer", "column_name": "custid"}, data_type="bigint")
    driver.dbt("seed")
    driver.dbt("run-operation", "replay_quarantine", "--args", "{table: salesdb__customer}")
    driver.dbt("build")
    assert driver("sql", "select name from silver.salesdb__customer where custid = 3000000000") == [["Grace"]]
    assert driver("sql", "select status from etl_metadata.quarantine") == [["replayed"]]


def test_maintain_removes_what_a_killed_run_left_on_the_object_store(cluster: Cluster, driver: Driver) -> None:
    catalog = cluster.environment["LAKEHOUSE_CATALOG_TYPE"]
    location = driver("sql", "select file from silver.sampledb__productorder.metadata_log_entries")[0][0]
    folder = cluster.store.folder / location.removeprefix("s3://").rsplit("/metadata/", 1)[0]
    assert folder.is_relative_to(cluster.store.folder / "lake" / catalog)
    orphan, young = folder / "data" / "orphan.parquet", folder / "data" / "young.parquet"
    for path in (orphan, young):
        path.write_bytes(b"half a file")
    old = time.time() - 4 * 86_400
    os.utime(orphan, (old, old))
    files = driver("sql", "select count(*) from silver.sampledb__productorder")
    driver.dbt("run-operation", "maintain", "--args", "{min_expired: 0, tables: [sampledb__productorder]}")
    assert [path.exists() for path in (orphan, young)] == [False, True]
    assert driver("sql", "select count(*) from silver.sampledb__productorder") == files


def test_maintain_compacts_every_table(driver: Driver) -> None:
    driver.dbt("run-operation", "maintain", "--args", "{min_expired: 0, min_files: 2}")
    assert set(driver.dbt("test", "--select", "silver,test_name:silver_matches_bronze").values()) <= {"pass", "success"}


def test_a_cycle_of_watch_builds_what_has_landed(cluster: Cluster, driver: Driver) -> None:
    land_store(cluster, "I", LATER + timedelta(hours=5), city="Watched")
    assert driver("watch") is True
    assert ["Watched"] in store(driver)
    assert driver.dbt("build")["raw_processed_files"] == "success"
    waiting = driver("sql", "select count(*) from etl_metadata.raw_processed_files where status = 'waiting'")
    assert waiting == [[0]]


def test_a_view_that_dbt_skipped_is_made_all_the_same(cluster: Cluster, driver: Driver) -> None:
    model = cluster.project / "models" / "bronze" / "sampledb" / "bronze_sampledb__product.sql"
    whole = model.read_text()
    model.write_text(whole + "\n{% if execute %}{{ exceptions.raise_compiler_error('planted') }}{% endif %}")
    land_store(cluster, "U", LATER + timedelta(hours=6), city="Skipped")
    outcome = driver("run_dbt", "run")
    model.write_text(whole)
    assert outcome["statuses"]["raw_processed_files"] == "skipped"
    assert any("raw_processed_files: dbt skipped it" in message for message in outcome["messages"])
    newest = "select max(batch_id) from etl_metadata."
    assert driver("sql", f"{newest}raw_processed_files") == driver("sql", f"{newest}raw_listing")


def test_another_program_reads_silver_through_the_catalog(cluster: Cluster, driver: Driver) -> None:
    rows = cluster.read_with_pyiceberg("silver.sampledb__productorder")
    assert [[len(rows), sum(row["qty"] for row in rows)]] == driver(
        "sql", "select count(*), sum(qty) from silver.sampledb__productorder"
    )
