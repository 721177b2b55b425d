"""Batches in which nothing is late, on tables that are taken to be large: rows are replaced, not merged."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.sparksession import snapshots
from tests.e2e.stories import Story, change

ALWAYS = ["--vars", "cdc_replace_rows_from: 1"]
METRICS = "select rows_inserted, rows_updated, rows_deleted from etl_metadata.run_metrics"


@pytest.fixture
def story(empty_lakehouse):
    empty_lakehouse.clear()
    empty_lakehouse.add_feed("replaced", "parquet", "timestamp_column=ts")
    empty_lakehouse.add_table("replaced", "t")
    empty_lakehouse.make_models()
    story = Story(empty_lakehouse.raw / "replaced", "t")
    story.load(0, *({"id": number, "v": "a", "w": "x"} for number in range(1, 5)))
    assert set(empty_lakehouse.statuses("run", "--select", "+silver_s__t").values()) == {"success"}
    return story


def operations(lakehouse) -> list[str]:
    rows = lakehouse.sql("select operation from silver.s__t.snapshots order by committed_at")
    return [row.operation for row in rows]


def test_a_batch_replaces_the_rows_of_its_keys_in_one_commit_that_readers_see(empty_lakehouse, story):
    story.changes(
        5,
        change("U", 5, id=1, v="b", w="y"),
        change("D", 5, id=2, v="a", w="x"),
        change("I", 5, id=9, v="n", w="n"),
        change("U", 5, id=9, v="n2", w="n"),
        change("D", 5, id=77, v="never", w="there"),
    )
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", "run_metrics", *ALWAYS)
    assert empty_lakehouse.table("t", "id, v, w") == [(1, "b", "y"), (3, "a", "x"), (4, "a", "x"), (9, "n2", "n")]
    assert operations(empty_lakehouse)[1:] == ["delete", "append"]
    history = empty_lakehouse.sql("select count(*) as n from silver.s__t.history")
    assert history[0].n == 2, "the load and the batch: the state without the new rows was never current"
    assert [row.name for row in empty_lakehouse.sql("select name from silver.s__t.refs")] == ["main"]
    counted = empty_lakehouse.sql(f"{METRICS} order by committed_at desc limit 1")
    assert [tuple(row) for row in counted] == [(1, 1, 1)], "the delete of 77 removed no row"

    before = empty_lakehouse.snapshots("silver.s__t")
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    assert empty_lakehouse.snapshots("silver.s__t") == before

    story.changes(4, change("U", 4, id=3, v="late", w="late"), change("D", 4, id=9, v="late", w="late"))
    assert set(empty_lakehouse.build("--select", "+silver_s__t", *ALWAYS).values()) <= {"success", "pass"}
    assert empty_lakehouse.table("t", "id, v, w") == [(1, "b", "y"), (3, "late", "late"), (4, "a", "x"), (9, "n2", "n")]
    assert operations(empty_lakehouse)[-1] == "overwrite", "something was late: merged"


def test_keys_beside_those_of_the_batch_and_at_the_ends_of_their_type_are_kept(empty_lakehouse, story):
    first, last = -(2**31), 2**31 - 1
    story.changes(5, *(change("I", 5, id=key, v="n", w="n") for key in (40, 41, 42)))
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    # The delete names the range from 0 to 43.
    story.changes(6, change("U", 6, id=3, v="b", w="y"), change("D", 6, id=41, v="n", w="n"))
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    kept = [(1, "a"), (2, "a"), (3, "b"), (4, "a"), (40, "n"), (42, "n")]
    assert empty_lakehouse.table("t", "id, v") == kept
    story.changes(7, change("I", 7, id=first, v="f", w="f"), change("I", 7, id=last, v="l", w="l"))
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    story.changes(8, change("U", 8, id=first, v="f2", w="f"), change("D", 8, id=last, v="l", w="l"))
    assert set(empty_lakehouse.build("--select", "+silver_s__t", *ALWAYS).values()) <= {"success", "pass"}
    assert empty_lakehouse.table("t", "id, v") == [(first, "f2"), *kept]
    assert operations(empty_lakehouse)[-2:] == ["delete", "append"]


def test_the_branch_of_a_killed_run_disturbs_no_other_and_goes_with_old_snapshots(empty_lakehouse, story):
    snapshots.start_branch(SparkSession.getActiveSession(), "silver.s__t", "cdc_write_killed")
    empty_lakehouse.sql("delete from silver.s__t.branch_cdc_write_killed where id < 4")
    story.changes(5, change("U", 5, id=1, v="b", w="y"))
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    assert empty_lakehouse.table("t", "id, v") == [(1, "b"), (2, "a"), (3, "a"), (4, "a")]
    refs = "select name, max_reference_age_in_ms as age from silver.s__t.refs order by name"
    assert [tuple(row) for row in empty_lakehouse.sql(refs)] == [("cdc_write_killed", 86_400_000), ("main", None)]


def test_a_rollback_to_the_half_done_commit_claims_no_progress(empty_lakehouse, story):
    story.changes(5, change("U", 5, id=1, v="b", w="y"))
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    half = empty_lakehouse.snapshots("silver.s__t")[-2]
    empty_lakehouse.sql(f"call system.rollback_to_snapshot('silver.s__t', {half})")
    assert len(empty_lakehouse.table("t", "id")) == 3
    empty_lakehouse.statuses("run", "--select", "+silver_s__t", *ALWAYS)
    assert empty_lakehouse.table("t", "id, v") == [(1, "b"), (2, "a"), (3, "a"), (4, "a")]
