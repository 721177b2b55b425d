"""Which runs are recorded, once, and what a rollback or a rebuild changes of those that are."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Dbt, Relation, normalise

SILVER = Relation("silver", "t")
RECORDED = Relation("etl_metadata", "run_metrics")
TABLES = [{"feed": "f", "source_schema": "s", "source_table": "t", "relation": SILVER}]


COLUMNS = ("silver_table", "rows_quarantined", "run_seconds", "bytes", "data_files", "delete_files", "deleted_rows")


def snapshot(
    number: int, *, rows: int | None = None, net: int = 0, operation: str = "overwrite", files: int = 0, **summary: str
) -> Any:
    return {
        "snapshot_id": number,
        "committed_at": f"2024-01-31 0{number}:00:00.000000",
        "operation": operation,
        "net_rows": net,
        "rows": rows,
        "summary": {
            **{f"cdc.{name.replace('_', '-')}": value for name, value in summary.items()},
            **({"total-data-files": str(files), "total-files-size": f"{files}000"} if files else {}),
        },
    }


LOAD = snapshot(1, rows=10, net=10, batch_id="1")
HALF = snapshot(2, net=-3, operation="delete", part_of_batch="2")
BATCH = snapshot(3, net=4, batch_id="2")
COMPACTED = snapshot(4, rows=99, operation="replace")


def found(*snapshots: Any, newest: int | None = 1, rows: int = 10, gone: Any = (), is_ancestor: Any = True) -> Any:
    """What is new in the table, of which `newest` is the run that was recorded last."""
    dbt = Dbt(
        answers={
            "where is_newest": [
                {"silver_table": "silver.t", "snapshot_id": newest, "rows_total": rows, "data_files": 2, "bytes": 2000}
            ]
            if newest
            else [],
            "select count(*) from silver.t": [{"n": 77}],
        },
        since={"silver.t": {"is_ancestor": is_ancestor, "snapshots": snapshots, "gone": gone}},
        columns={RECORDED: dict.fromkeys(COLUMNS, "bigint")},
    )
    return dbt.cdc_new_runs(RECORDED if newest else None, TABLES)


def flags(found: Any) -> list[tuple[Any, ...]]:
    return [(row["snapshot_id"], row["is_current"], row["is_newest"], row.get("rows_total")) for row in found["rows"]]


def test_nothing_new():
    assert found()["rows"] == []
    assert found(COMPACTED)["rows"] == []


def test_the_first_recording_takes_every_run():
    new = found(LOAD, HALF, BATCH, COMPACTED, newest=None)
    assert flags(new) == [(1, True, False, 10), (3, True, True, 11)]
    assert (new["runs"], new["has_gone"], new["replaced"]) == (2, False, [])


def test_the_run_recorded_last_is_no_longer_the_newest():
    assert flags(found(HALF, BATCH)) == [(1, True, False, None), (3, True, True, 11)]


def test_rows_of_another_writer_are_counted():
    assert flags(found(snapshot(2, net=5, operation="append"), BATCH))[-1] == (3, True, True, 19)


def test_runs_that_a_rollback_took_are_not_current():
    new = found(LOAD, newest=3, gone=[3], is_ancestor=False)
    assert flags(new) == [(3, False, False, None), (1, True, True, 10)]
    assert (new["has_gone"], new["replaced"]) == (True, [])


def test_a_table_of_which_nothing_recorded_is_known_is_another_one():
    new = found(LOAD, newest=3, gone=None, is_ancestor=False)
    assert flags(new) == [(1, True, True, 10)]
    assert (new["has_gone"], new["replaced"]) == (True, ["silver.t"])


def test_a_compaction_changes_the_files_of_the_newest_run_once():
    new = found(snapshot(2, operation="replace", files=1))
    assert flags(new) == [(1, True, True, None)]
    assert (new["rows"][0]["data_files"], new["rows"][0]["bytes"], new["runs"]) == (1, 1000, 0)
    assert found(snapshot(2, operation="replace", files=2))["rows"] == [], "recorded before"


def test_each_run_has_the_files_of_its_own_snapshot_and_the_last_one_those_of_now():
    first, second = snapshot(2, net=1, files=3, batch_id="2"), snapshot(3, net=1, files=4, batch_id="3")
    new = found(first, second, snapshot(4, operation="replace", files=1))
    assert [row.get("data_files") for row in new["rows"]] == [None, 3, 1]


def test_cdc_newest_runs__columns_that_an_older_table_lacks_are_added():
    dbt = Dbt(answers={"where is_newest": []}, columns={RECORDED: {"silver_table": "string", "bytes": "bigint"}})
    assert dbt.cdc_newest_runs(RECORDED) == {}
    assert dbt.queries[0] == (
        "alter table etl_metadata.run_metrics add columns (rows_quarantined bigint, run_seconds double,"
        " data_files bigint, delete_files bigint, deleted_rows bigint, second_snapshot boolean,"
        " log_began_again boolean)"
    )
    assert Dbt().cdc_newest_runs(None) == {}


def test_where_snapshots_have_expired_in_between_rows_are_counted():
    new = found(BATCH, newest=1, gone=None, is_ancestor=None)
    assert flags(new) == [(1, True, False, None), (3, True, True, 77)]
    assert new["replaced"] == []


def write(**words: Any) -> tuple[str | None, str]:
    columns = {Relation("silver", "shop__order"): {}} if words.pop("exists", True) else {}
    dbt = Dbt(answers={"where is_newest": []}, columns=columns)
    dbt.context["cdc_built"] = lambda layer, ref: []
    found = {"rows": [], "runs": 0, "has_gone": False, "replaced": [], **words}
    found["is_new"] = not columns or bool(found["rows"])
    dbt.context["cdc_new_runs"] = lambda recorded, tables: found
    return dbt.write("cdc_record_runs")


def test_get_incremental_cdc_record_runs_sql__one_commit_or_none():
    assert write() == (None, "nothing: no silver table has a new snapshot")
    assert write(exists=False)[0] == "create table silver.shop__order as\nselect 1"
    sql, message = write(rows=[{"snapshot_id": 1}], runs=1)
    assert "and recorded.is_newest when matched" in normalise(sql or "")
    assert message == "merge: runs=1"


@pytest.mark.parametrize(("asked", "read"), [([], ["a", "b"]), (["b"], ["b"])])
def test_get_incremental_cdc_record_runs_sql__reads_the_tables_that_it_is_asked_for(asked, read):
    dbt = Dbt(answers={"where is_newest": []})
    dbt.context["var"] = {"cdc_metrics_of": asked}.__getitem__
    dbt.context["cdc_built"] = lambda layer, ref: [{"silver": name} for name in ("a", "b")]
    tables: list[Any] = []
    dbt.context["cdc_new_runs"] = lambda recorded, some: tables.extend(some) or {"rows": [], "runs": 0, "is_new": False}
    dbt.write("cdc_record_runs")
    assert [table["silver"] for table in tables] == read


@pytest.mark.parametrize(("has_gone", "replaced"), [(True, []), (True, ["silver.t"])])
def test_cdc_record_runs_sql__a_rollback_changes_older_rows(has_gone, replaced):
    sql = normalise(Dbt().cdc_record_runs_sql("m", "select 1", {"has_gone": has_gone, "replaced": replaced}))
    assert "recorded.is_newest" not in sql.partition("when matched")[0]
    assert ("in ('silver.t') then update set is_current = false" in sql) is bool(replaced)


def test_cdc_file_counts__of_a_summary_and_of_a_row():
    summary = {"total-files-size": "9", "total-data-files": "2", "total-delete-files": "0", "added-records": "1"}
    assert Dbt().cdc_file_counts(summary) == {"bytes": 9, "data_files": 2, "delete_files": 0}
    assert Dbt().cdc_file_counts({"bytes": 9, "data_files": None, "rows_total": 4}) == {"bytes": 9}
