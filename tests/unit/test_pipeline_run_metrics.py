"""Which runs are recorded, once, and what a rollback or a rebuild changes of those that are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from python_udfs.pipeline.run_metrics import NewRuns, count_files, find_new_runs, plan_runs

SILVER = SimpleNamespace(schema="silver", identifier="t")
TABLES = [{"feed": "f", "source_schema": "s", "source_table": "t", "relation": SILVER}]


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


class Warehouse:
    """A warehouse with one table, which has 77 rows."""

    def __init__(self, since: dict[str, Any]) -> None:
        self.since = since

    def snapshots_since(self, relation: Any, snapshot_id: int | None = None) -> dict[str, Any]:
        self.asked = snapshot_id
        return self.since

    def query(self, sql: str) -> list[dict[str, Any]]:
        assert sql == "count silver.t"
        return [{"row_count": 77}]


def find(
    *snapshots: Any,
    newest: int | None = 1,
    rows: int = 10,
    gone: Any = (),
    is_ancestor: Any = True,
    is_first: bool = False,
) -> NewRuns:
    """Finds what is new in the table, of which `newest` is the run that was recorded last."""
    warehouse: Any = Warehouse({"is_ancestor": is_ancestor, "snapshots": snapshots, "gone": gone})
    row = {"silver_table": "silver.t", "snapshot_id": newest, "rows_total": rows, "data_files": 2, "bytes": 2000}
    runs = find_new_runs(
        warehouse,
        TABLES,
        None if is_first else [row] if newest else [],
        lambda relation: f"count {relation.schema}.{relation.identifier}",
    )
    assert warehouse.asked == (None if is_first else newest)
    return runs


def flags(new: NewRuns) -> list[tuple[Any, ...]]:
    return [(row["snapshot_id"], row["is_current"], row["is_newest"], row.get("rows_total")) for row in new.rows]


def test_nothing_new():
    assert find().rows == []
    assert find(COMPACTED).rows == []


def test_the_first_recording_takes_every_run():
    new = find(LOAD, HALF, BATCH, COMPACTED, newest=None)
    assert flags(new) == [(1, True, False, 10), (3, True, True, 11)]
    assert (new.runs, new.has_gone, new.replaced) == (2, False, [])


def test_the_run_recorded_last_is_no_longer_the_newest():
    assert flags(find(HALF, BATCH)) == [(1, True, False, None), (3, True, True, 11)]


def test_rows_of_another_writer_are_counted():
    assert flags(find(snapshot(2, net=5, operation="append"), BATCH))[-1] == (3, True, True, 19)


def test_runs_that_a_rollback_took_are_not_current():
    new = find(LOAD, newest=3, gone=[3], is_ancestor=False)
    assert flags(new) == [(3, False, False, None), (1, True, True, 10)]
    assert (new.has_gone, new.replaced) == (True, [])


def test_a_table_of_which_nothing_recorded_is_known_is_another_one():
    new = find(LOAD, newest=3, gone=None, is_ancestor=False)
    assert flags(new) == [(1, True, True, 10)]
    assert (new.has_gone, new.replaced) == (True, ["silver.t"])


def test_a_compaction_changes_the_files_of_the_newest_run_once():
    new = find(snapshot(2, operation="replace", files=1))
    assert flags(new) == [(1, True, True, None)]
    assert (new.rows[0]["data_files"], new.rows[0]["bytes"], new.runs) == (1, 1000, 0)
    assert find(snapshot(2, operation="replace", files=2)).rows == [], "recorded before"


def test_each_run_has_the_files_of_its_own_snapshot_and_the_last_one_those_of_now():
    first, second = snapshot(2, net=1, files=3, batch_id="2"), snapshot(3, net=1, files=4, batch_id="3")
    new = find(first, second, snapshot(4, operation="replace", files=1))
    assert [row.get("data_files") for row in new.rows] == [None, 3, 1]


def test_where_snapshots_have_expired_in_between_rows_are_counted():
    new = find(BATCH, newest=1, gone=None, is_ancestor=None)
    assert flags(new) == [(1, True, False, None), (3, True, True, 77)]
    assert new.replaced == []


def test_a_first_recording_is_written_although_there_is_no_run():
    assert find(is_first=True).is_new
    assert find(is_first=True).message == "merge: runs=0"
    assert (find().is_new, find().message) == (False, "nothing: no silver table has a new snapshot")
    assert find(LOAD, newest=3, gone=None, is_ancestor=False).is_new


class Recording(Warehouse):
    """A warehouse whose run_metrics has no run, and lacks the columns of later versions; of two silver tables."""

    def __init__(self) -> None:
        super().__init__({"is_ancestor": True, "snapshots": [LOAD], "gone": []})
        self.statements: list[str] = []
        self.views: dict[str, Any] = {}

    def get_columns_in_relation(self, relation: Any) -> list[Any]:
        return [SimpleNamespace(name=name) for name in ("silver_table", "bytes")]

    def query(self, sql: str) -> list[dict[str, Any]]:
        self.statements.append(sql)
        return []

    def rows_view(self, view: str, rows: Any, schema: str) -> None:
        self.views[view] = [row["silver_table"] for row in rows]


def plan(recorded: Any = "m", names: Any = ()) -> Any:
    warehouse: Any = Recording()
    sql = {"cdc_newest_runs_sql": lambda relation: f"newest of {relation}", "cdc_count_sql": str}
    tables = [
        {**TABLES[0], "silver": name, "relation": SimpleNamespace(schema="silver", identifier=name)} for name in "ab"
    ]
    plan_runs(warehouse, sql, recorded, tables, names)
    return warehouse


def test_columns_that_an_older_table_lacks_are_added():
    assert plan().statements == [
        "alter table m add columns (rows_quarantined bigint, run_seconds double, data_files bigint,"
        " delete_files bigint, deleted_rows bigint, second_snapshot boolean, log_began_again boolean)",
        "newest of m",
    ]
    assert plan(recorded=None).statements == [], "a first one has them"


def test_runs_are_shown_of_the_tables_that_it_is_asked_for():
    assert plan().views == {"run_metrics_new": ["silver.a", "silver.b"]}
    assert plan(names=["b"]).views == {"run_metrics_new": ["silver.b"]}


def test_files_of_a_summary_and_of_a_row():
    summary = {"total-files-size": "9", "total-data-files": "2", "total-delete-files": "0", "added-records": "1"}
    assert count_files(summary) == {"bytes": 9, "data_files": 2, "delete_files": 0}
    assert count_files({"bytes": 9, "data_files": None, "rows_total": 4}) == {"bytes": 9}
