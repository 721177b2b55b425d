"""Change files whose content changes after they were read: still being written when listed, or corrected.

The newest content of a change file counts; rows of its older content are superseded (docs/feeds/dms_format.md).
All tables live in one project and are built three times: the first content, the second, and a late file.
"""

from __future__ import annotations

import gzip
import io
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stories import at

from python_udfs.explain.__main__ import main as explain

LOAD = "a,1\nb,2\n"
# The last key of the first content is cut: 12 is no key of the source.
HALF = "U,a2,1\nI,n,12"
WHOLE = "U,a2,1\nI,n,1234\nI,m,5\n"
LATE = "I,late,12\n"
NOW = [("a2", 1), ("b", 2), ("m", 5), ("n", 1234)]

# Tables of the feed `over`: first content, second content, minutes between the two, and the cells of their rows.
CSV = {
    "same_second": (HALF, WHOLE, 0, {}),
    "soft": (HALF, WHOLE, 1, {"delete_mode": "soft"}),
    "history": (HALF, WHOLE, 0, {"mode": "history"}),
    "append": ("I,n,12", "I,n,1234\nI,m,5\n", 1, {"mode": "append", "primary_key": ""}),
    "shorter": ("D,b,2\nI,x,7\nU,a2,1\n", "U,a3,1\n", 1, {"unchanged_rows": "skip"}),
    "older_time": (WHOLE, HALF, -1, {}),
    "cut_row": ("I,x,7\nI", "I,x,7\nI,y,8\n", 0, {}),
    "cut_gzip": (gzip.compress(WHOLE.encode(), mtime=0)[:20], gzip.compress(WHOLE.encode(), mtime=0), 0, {}),
    "never": (WHOLE, WHOLE, 0, {}),
}


def put(path, content, minutes=5.0):
    """Writes a file with a modification time of whole seconds, as object stores give it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.utime(path, (at(minutes).timestamp(),) * 2)


def message(op, *, pos, **row):
    source = {"connector": "mysql", "ts_ms": 1, "snapshot": "false", "db": "s", "table": "dbz", "server_id": 1}
    source |= {"file": "mysql-bin.000001", "pos": pos, "row": 0}
    return json.dumps({"before": None, "after": row, "source": source, "op": op, "ts_ms": 9}) + "\n"


def parquet(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


class Overwritten:
    """The lakehouse, and per build the status of each node and the rows of each table."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.raw = lakehouse.raw
        self.builds, self.seen, self.quarantined, self.snapshots = [], [], [], []

    def build(self, *tests):
        tags = [f"+tag:feed:{feed}" for feed in ("over", "pq", "txn", "dbz")]
        views = ("raw_processed_files", "quarantine", "run_metrics")
        self.builds.append(self.lakehouse.statuses("run", "--select", *tags, *views))
        if tests:
            self.builds[-1] |= self.lakehouse.statuses("test", "--select", *tests)
        tables = [row["source_table"] for row in self.lakehouse.rows["cdc_tables.csv"]]
        rows = {}
        for name in tables:
            where = " where _cdc_valid_to is null" if name == "history" else ""
            where = " where not _cdc_is_deleted" if name == "soft" else where
            rows[name] = sorted(tuple(row) for row in self.lakehouse.sql(f"select v, id from silver.s__{name}{where}"))
        self.seen.append(rows)
        waiting = self.lakehouse.sql("select source_table, status from etl_metadata.quarantine order by all")
        self.quarantined.append([tuple(row) for row in waiting])
        self.snapshots.append({name: len(self.lakehouse.snapshots(f"silver.s__{name}")) for name in tables})


@pytest.fixture(scope="module")
def overwritten(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("over", "csv", "operation_column=auto")
    for name, (*_, cells) in CSV.items():
        lakehouse.add_table("over", name, columns="v string, id int", **cells)
    lakehouse.add_feed("pq", "parquet")
    lakehouse.add_table("pq", "cut_parquet")
    lakehouse.add_feed("txn", "csv", "transaction_files=true")
    for name in ("txn_one", "txn_two"):
        lakehouse.add_table("txn", name, columns="v string, id int")
    lakehouse.add_feed("dbz", "json", connector="debezium")
    lakehouse.add_table("dbz", "dbz", columns="id int, v string")
    lakehouse.make_models()

    run = Overwritten(lakehouse)
    for name in CSV:
        put(run.raw / "over/s" / name / "LOAD00000001.csv", LOAD, 0)
    put(run.raw / "pq/s/cut_parquet/LOAD00000001.parquet", parquet(v=["a", "b"], id=[1, 2]), 0)
    whole = parquet(Op=["U", "I"], v=["a2", "n"], id=[1, 1234])
    for number in range(2):
        for name, contents in CSV.items():
            suffix = ".gz" if name == "cut_gzip" else ""
            path = run.raw / "over/s" / name / f"20240131-230500000.csv{suffix}"
            put(path, contents[number], 5 + number * contents[2])
        put(run.raw / "pq/s/cut_parquet/20240131-230500000.parquet", whole if number else whole[:100])
        corrected = "I,txn_one,s,a,1\nI,txn_one,s,n,1234\n"
        half = "I,txn_one,s,a,1\nI,txn_two,s,b,2\nI,txn_one,s,n,12"
        put(run.raw / "txn/CDC_TXN-20240131230500000.csv", corrected if number else half)
        cut = "I,txn_two,s,z,9\nI,txn_t"
        put(run.raw / "txn/CDC_TXN-20240131230600000.csv", f"{cut}wo,s,y,8\n" if number else cut, 6 + number)
        first, second = message("c", pos=1, id=1, v="a"), message("c", pos=2, id=2, v="b")
        sink = run.raw / "dbz/topics/src.s.dbz/partition=0"
        put(sink / "src.s.dbz+0+0000000000.json", first + (second if number else second[:60]))
        seventh = message("c", pos=3, id=77, v="x")
        put(
            sink / "src.s.dbz+0+0000000002.json",
            message("c", pos=3, id=3, v="c") if number else seventh,
            6 + number,
        )
        run.build()
    for name in CSV:
        put(run.raw / "over/s" / name / "20240131-230300000.csv", LATE, 9)
    put(run.raw / "txn/CDC_TXN-20240131230300000.csv", "I,txn_one,s,late,12\n", 9)
    run.build("test_name:silver_matches_bronze", "every_multi_table_record_has_a_table")
    return run


def test_every_test_passes_once_the_files_are_whole(overwritten):
    for statuses in overwritten.builds:
        assert set(statuses.values()) <= {"success", "pass"}, statuses
    assert overwritten.builds[2]["every_multi_table_record_has_a_table"] == "pass", (
        "older content had records of no table"
    )


@pytest.mark.parametrize("name", ["same_second", "history"])
def test_a_half_file_that_is_whole_within_its_second_is_read_again(overwritten, name):
    assert overwritten.seen[0][name] == [("a2", 1), ("b", 2), ("n", 12)]
    assert overwritten.seen[1][name] == NOW


@pytest.mark.parametrize("name", ["soft", "append"])
def test_rows_of_a_half_file_do_not_stay(overwritten, name):
    inserts = sorted([("a", 1), *NOW[1:]])
    assert overwritten.seen[1][name] == (inserts if name == "append" else NOW)


def test_a_deleted_row_of_older_content_leaves_no_mark_in_a_soft_table(overwritten):
    assert len(overwritten.lakehouse.sql("select id from silver.s__soft")) == len(NOW) + 1
    [late] = overwritten.lakehouse.sql("select v, _cdc_is_deleted from silver.s__soft where id = 12")
    assert tuple(late) == ("late", False)


def test_a_version_that_older_content_began_is_gone_from_the_history(overwritten):
    versions = overwritten.lakehouse.sql("select v from silver.s__history where id in (12, 1234) order by id")
    assert [row.v for row in versions] == ["late", "n"]


def test_what_a_shorter_correction_no_longer_holds_is_undone(overwritten):
    assert overwritten.seen[0]["shorter"] == [("a2", 1), ("x", 7)]
    assert overwritten.seen[1]["shorter"] == [("a3", 1), ("b", 2)]


def test_content_with_an_older_time_is_older_whenever_it_comes(overwritten):
    assert overwritten.seen[0]["older_time"] == overwritten.seen[1]["older_time"] == NOW


def test_a_late_change_is_computed_again_without_void_rows(overwritten):
    for name in ("same_second", "soft", "history", "older_time"):
        assert overwritten.seen[2][name] == sorted([*NOW, ("late", 12)]), name


def test_a_quarantined_row_of_older_content_is_no_open_problem(overwritten):
    assert ("cut_row", "waiting") in overwritten.quarantined[0]
    assert ("cut_row", "overwritten") in overwritten.quarantined[1]
    assert not [row for row in overwritten.quarantined[1] if row[1] == "waiting"]
    assert overwritten.seen[1]["cut_row"] == [("a", 1), ("b", 2), ("x", 7), ("y", 8)]


@pytest.mark.parametrize("name", ["cut_gzip", "cut_parquet"])
def test_a_half_file_that_cannot_be_read_is_rejected_and_read_when_it_is_whole(overwritten, name):
    rows = overwritten.lakehouse.sql(
        f"select status from etl_metadata.raw_processed_files where path like '%/{name}/20240131-230500%'"
        " order by batch_id"
    )
    assert [row.status for row in rows] == ["ignored", "ingested"]
    assert ("n", 1234) in overwritten.seen[1][name]
    assert overwritten.snapshots[1][name] == overwritten.snapshots[0][name] + 1


def test_a_transaction_file_replaces_its_rows_of_each_table(overwritten):
    assert overwritten.seen[0]["txn_one"] == [("a", 1), ("n", 12)]
    assert overwritten.seen[1]["txn_one"] == [("a", 1), ("n", 1234)]
    assert overwritten.seen[0]["txn_two"] == [("b", 2), ("z", 9)]
    assert overwritten.seen[1]["txn_two"] == [("y", 8), ("z", 9)], "2 is in no transaction file any more"
    assert overwritten.seen[2]["txn_one"] == [("a", 1), ("late", 12), ("n", 1234)]


def test_a_message_file_replaces_its_rows(overwritten):
    assert overwritten.seen[0]["dbz"] == [("a", 1), ("x", 77)]
    assert overwritten.seen[1]["dbz"] == [("a", 1), ("b", 2), ("c", 3)]


def test_silver_is_replaced_in_one_commit_and_only_where_a_file_was_overwritten(overwritten):
    for name in ("same_second", "soft", "history", "append", "shorter", "dbz", "txn_two"):
        assert overwritten.snapshots[1][name] == overwritten.snapshots[0][name] + 1, name
    assert overwritten.snapshots[1]["never"] == overwritten.snapshots[0]["never"]


def test_bronze_keeps_all_content_and_marks_what_is_void(overwritten):
    rows = overwritten.lakehouse.sql(
        "select _cdc_operation as operation, count(*) as n from bronze.s__same_second group by 1 order by 1"
    )
    assert {row.operation: row.n for row in rows} == {"L": 2, "U": 2, "I": 4, "X": 1}


def test_explain_shows_that_a_row_is_void(overwritten):
    assert "superseded: newer content of the file" in overwritten.lakehouse.command(explain, "s__same_second", "12")


def test_replay_and_rebuild_leave_void_rows_out(overwritten, capsys):
    overwritten.lakehouse.dbt("run-operation", "replay_quarantine", "--args", "{table: s__cut_row}")
    assert "0 rows waited in quarantine" in capsys.readouterr().out
    for name in ("same_second", "history"):
        outcome = overwritten.lakehouse.dbt("run-operation", "rebuild_silver", "--args", f"{{table: s__{name}}}")
        assert outcome.success, overwritten.lakehouse.messages
    models = ("silver_s__same_second", "silver_s__history")
    compared = (f"{model},test_name:silver_matches_bronze" for model in models)
    statuses = overwritten.lakehouse.run_and_test(*compared, run=("--select", *models))
    assert set(statuses.values()) <= {"success", "pass"}
