"""Batches in which nothing is late, on tables that are taken to be large: rows are replaced, not merged."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.sparksession import snapshots
from tests.e2e.stories import Story, change

ALWAYS = ["--vars", "cdc_replace_rows_from: 1"]
METRICS = "select rows_inserted, rows_updated, rows_deleted from etl_metadata.run_metrics where silver_table = '{}'"


class Table(Story):
    """The files and the silver table of one test."""

    def __init__(self, lakehouse, name: str) -> None:
        super().__init__(lakehouse.raw / "replaced", name)
        self.lakehouse = lakehouse
        self.name = name
        self.silver = f"silver.s__{name}"
        self.selected = ("--select", f"+silver_s__{name}")

    def run(self, *more: str) -> None:
        self.lakehouse.statuses("run", *self.selected, *more, *ALWAYS)

    def build(self) -> None:
        assert set(self.lakehouse.build(*self.selected, *ALWAYS).values()) <= {"success", "pass"}

    def rows(self, columns: str = "id, v"):
        return self.lakehouse.table(self.name, columns)

    def operations(self) -> list[str]:
        rows = self.lakehouse.sql(f"select operation from {self.silver}.snapshots order by committed_at")
        return [row.operation for row in rows]


@pytest.fixture(scope="module")
def tables(empty_lakehouse):
    """A table for each test, all loaded."""
    empty_lakehouse.add_feed("replaced", "parquet", "timestamp_column=ts")
    tables = {name: Table(empty_lakehouse, name) for name in ("batch", "ends", "killed", "half")}
    for name, table in tables.items():
        empty_lakehouse.add_table("replaced", name)
        table.load(0, *({"id": number, "v": "a", "w": "x"} for number in range(1, 5)))
    empty_lakehouse.make_models()
    loaded = empty_lakehouse.statuses("run", "--select", *(f"+silver_s__{name}" for name in tables))
    assert set(loaded.values()) == {"success"}
    return tables


def test_a_batch_replaces_the_rows_of_its_keys_in_one_commit_that_readers_see(empty_lakehouse, tables):
    table = tables["batch"]
    table.changes(
        5,
        change("U", 5, id=1, v="b", w="y"),
        change("D", 5, id=2, v="a", w="x"),
        change("I", 5, id=9, v="n", w="n"),
        change("U", 5, id=9, v="n2", w="n"),
        change("D", 5, id=77, v="never", w="there"),
    )
    table.run("run_metrics")
    assert table.rows("id, v, w") == [(1, "b", "y"), (3, "a", "x"), (4, "a", "x"), (9, "n2", "n")]
    assert table.operations()[1:] == ["delete", "append"]
    history = empty_lakehouse.sql(f"select count(*) as n from {table.silver}.history")
    assert history[0].n == 2, "the load and the batch: the state without the new rows was never current"
    assert [row.name for row in empty_lakehouse.sql(f"select name from {table.silver}.refs")] == ["main"]
    counted = empty_lakehouse.sql(f"{METRICS.format(table.silver)} order by committed_at desc limit 1")
    assert [tuple(row) for row in counted] == [(1, 1, 1)], "the delete of 77 removed no row"

    before = empty_lakehouse.snapshots(table.silver)
    table.run()
    assert empty_lakehouse.snapshots(table.silver) == before

    table.changes(4, change("U", 4, id=3, v="late", w="late"), change("D", 4, id=9, v="late", w="late"))
    table.build()
    assert table.rows("id, v, w") == [(1, "b", "y"), (3, "late", "late"), (4, "a", "x"), (9, "n2", "n")]
    assert table.operations()[-1] == "overwrite", "something was late: merged"


def test_keys_beside_those_of_the_batch_and_at_the_ends_of_their_type_are_kept(empty_lakehouse, tables):
    table = tables["ends"]
    first, last = -(2**31), 2**31 - 1
    table.changes(5, *(change("I", 5, id=key, v="n", w="n") for key in (40, 41, 42)))
    table.run()
    # The delete names the range from 0 to 43.
    table.changes(6, change("U", 6, id=3, v="b", w="y"), change("D", 6, id=41, v="n", w="n"))
    table.run()
    kept = [(1, "a"), (2, "a"), (3, "b"), (4, "a"), (40, "n"), (42, "n")]
    assert table.rows() == kept
    table.changes(7, change("I", 7, id=first, v="f", w="f"), change("I", 7, id=last, v="l", w="l"))
    table.run()
    table.changes(8, change("U", 8, id=first, v="f2", w="f"), change("D", 8, id=last, v="l", w="l"))
    table.build()
    assert table.rows() == [(first, "f2"), *kept]
    assert table.operations()[-2:] == ["delete", "append"]


def test_the_branch_of_a_killed_run_disturbs_no_other_and_goes_with_old_snapshots(empty_lakehouse, tables):
    table = tables["killed"]
    snapshots.start_branch(SparkSession.getActiveSession(), table.silver, "cdc_write_killed")
    empty_lakehouse.sql(f"delete from {table.silver}.branch_cdc_write_killed where id < 4")
    table.changes(5, change("U", 5, id=1, v="b", w="y"))
    table.run()
    assert table.rows() == [(1, "b"), (2, "a"), (3, "a"), (4, "a")]
    refs = f"select name, max_reference_age_in_ms as age from {table.silver}.refs order by name"
    assert [tuple(row) for row in empty_lakehouse.sql(refs)] == [("cdc_write_killed", 86_400_000), ("main", None)]


def test_a_rollback_to_the_half_done_commit_claims_no_progress(empty_lakehouse, tables):
    table = tables["half"]
    table.changes(5, change("U", 5, id=1, v="b", w="y"))
    table.run()
    half = empty_lakehouse.snapshots(table.silver)[-2]
    empty_lakehouse.sql(f"call system.rollback_to_snapshot('{table.silver}', {half})")
    assert len(table.rows("id")) == 3
    table.run()
    assert table.rows() == [(1, "b"), (2, "a"), (3, "a"), (4, "a")]
