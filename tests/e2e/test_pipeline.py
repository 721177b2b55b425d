"""Four builds through the whole pipeline. Each source table is one story; each test states how its story has to end."""

from __future__ import annotations

import gzip
import re
from contextlib import suppress
from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stories import ID_V_W, Story, at, change

from python_udfs.drift.__main__ import main as drift
from python_udfs.sample_data.dms_writer import Column


class Pipeline:
    """The lakehouse after four builds, with what was seen on the way."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.raw = lakehouse.raw / "parquet"
        self.statuses = []
        self.messages = []
        self.seen = {}
        self.stories = {}
        self.delivered = {}

    def story(self, name, **settings):
        if name not in self.stories:
            self.stories[name] = Story(self.raw, name, **settings)
        return self.stories[name]

    def build(self, *arguments):
        for path in self.lakehouse.raw.rglob("*.parquet"):
            with suppress(pa.ArrowInvalid):
                rows = pq.ParquetFile(path).metadata.num_rows
                self.delivered.setdefault(f"file:{path}", {})[path.stat().st_mtime_ns] = rows
        self.statuses.append(self.lakehouse.build(*arguments))
        self.messages.append("\n".join(self.lakehouse.messages))

    def see(self, moment, name, columns="id, v"):
        self.seen[moment, name] = self.lakehouse.table(name, columns)

    def table(self, name, columns="id, v"):
        return self.lakehouse.table(name, columns)


def set_up(pipeline):
    lakehouse = pipeline.lakehouse
    lakehouse.add_feed("parquet", "parquet", "timestamp_column=ts")
    lakehouse.add_feed("csv", "csv", "timestamp_column=ts")
    lakehouse.add_feed("header", "csv", "header=true")
    for name in ("litter", "out_of_order", "reinsert", "drift", "broken", "rotten"):
        lakehouse.add_table("parquet", name)
    lakehouse.add_table("parquet", "rules")
    lakehouse.add_table("parquet", "late_comer", partition_by="days(sold_at)")
    lakehouse.add_table("parquet", "soft", delete_mode="soft")
    lakehouse.add_table("parquet", "reload")
    lakehouse.add_table("parquet", "log", primary_key="", mode="append")
    lakehouse.add_table("parquet", "waiting", active="false")
    lakehouse.add_table("csv", "plain", columns="id int, v string, amount decimal(10,2), day date, extra string?")
    lakehouse.add_table("header", "named", columns="id int, v string")
    lakehouse.add_table("parquet", "frozen", schema_drift="freeze")
    lakehouse.add_table("parquet", "strict", schema_drift="quarantine")
    lakehouse.add_table("parquet", "renamed")
    lakehouse.make_models()


CAST_FAILURES = "values that do not fit go to quarantine (uncastable_value)"
DRIFTS = "rows of its files go to quarantine (schema_drift)"


def batch_1(pipeline):
    """Full loads."""
    old = {"v": "a", "w": "x"}
    for name in ("litter", "out_of_order", "reinsert", "soft", "rotten", "reload"):
        pipeline.story(name).load(0, {"id": 1, **old}, {"id": 2, **old}, {"id": 3, **old})
    pipeline.story("drift", columns=ID_V_W[:2]).load(0, {"id": 1, "v": "a"})
    pipeline.story("rules").load(0, {"id": 1, **old})
    pipeline.story("log", key=()).load(0, {"id": 1, **old}, {"id": 1, **old})
    pipeline.story("broken").load(0, {"id": 1, **old}, {"id": 2, **old}, rows_per_file=1)
    cut = pipeline.raw / "s" / "broken" / "LOAD00000002.parquet"
    cut.write_bytes(cut.read_bytes()[:-20])
    pipeline.story("waiting").load(0, {"id": 1, **old})
    pipeline.story("nobody").load(0, {"id": 1, **old})
    pipeline.story("awsdms_status").load(0, {"id": 1, **old})
    (pipeline.raw / "s" / "litter" / "LOAD0000000A.parquet").touch()
    (pipeline.raw / "s" / "litter" / "LOAD0000000B.parquet.tmp").write_text("half")
    (pipeline.raw / "s" / "litter" / "readme.parquet").write_text("no DMS name")
    csv = pipeline.lakehouse.raw / "csv" / "s" / "plain"
    csv.mkdir(parents=True)
    (csv / "LOAD00000001.csv").write_text(
        '2024-01-31 23:00:00.000000,1,"a,""b""\nc",1.50,2024-01-31\n'
        '2024-01-31 23:00:00.000000,2,"",NULL,\n'
        '2024-01-31 23:00:00.000000,3,"NULL",2.00,2024-02-01\n'
        "2024-01-31 23:00:00.000000,4,NULL,3.00,2024-02-01,more\n"
    )
    for name in ("frozen", "strict", "renamed"):
        Story(pipeline.raw, name, ID_V_W[:2]).load(0, {"id": 1, "v": "a"}, {"id": 2, "v": "b"})
    named = pipeline.lakehouse.raw / "header" / "s" / "named"
    named.mkdir(parents=True)
    (named / "LOAD00000001.csv.gz").write_bytes(gzip.compress(b'id,v\n1,"first\nline"\n2,b\n'))


def damage(story, minutes):
    """A change file with many rows, of which a third is zeros: headers of pages are among them."""
    columns = [column.name for column in story.table.columns[1:]]
    rows = [{"id": 100 + number, **dict.fromkeys(columns, f"{number}" * 50)} for number in range(2000)]
    [rotten] = story.changes(minutes, *(change("I", minutes, **row) for row in rows))
    content = bytearray(rotten.read_bytes())
    third = len(content) // 3
    content[third : 2 * third] = bytes(third)
    rotten.write_bytes(content)


def batch_2(pipeline):
    """Changes; the newer file of out_of_order comes before the older one."""
    pipeline.story("out_of_order").changes(20, change("U", 20, id=1, v="new", w="x"), change("D", 20, id=2))
    pipeline.story("reinsert").changes(1, change("D", 1, id=1))
    pipeline.stories.pop("drift")
    wide = (Column("v", pa.string()), Column("id", pa.int64()), Column("added", pa.decimal128(8, 2)))
    pipeline.story("drift", columns=wide).changes(1, change("I", 1, id=2**40, v="b", added=Decimal("1.25")))
    pipeline.story("rules").changes(1, change("I", 1, id=None, v="no key", w="x"), change("I", 1, id=5, v="ok", w="x"))
    folder = pipeline.raw / "s" / "rules"
    odd = pa.table(
        {
            "Op": ["X", None, "i"],
            "ts": [None, None, "2024-01-31 23:02:00"],
            "id": pa.array([6, 7, 8], pa.int32()),
            "v": ["?", "?", "lower"],
        }
    )
    pq.write_table(odd, folder / "20240131-230200000.parquet")
    uncastable = pa.table({"Op": ["I", "I"], "id": ["9", "nine"], "v": ["fits", "does not"]})
    pq.write_table(uncastable, folder / "20240131-230300000.parquet")
    pipeline.story("log", key=()).changes(1, change("I", 1, id=2, v="b", w="x"), change("U", 1, id=2, v="c", w="x"))
    pipeline.story("soft").changes(1, change("U", 1, id=1, v="b", w="x"), change("D", 1, id=1), change("D", 1, id=2))
    pipeline.story("reload").changes(5, change("U", 5, id=2, v="before", w="x"))
    pipeline.story("reload").load(10, {"id": 1, "v": "reloaded", "w": "x"}, {"id": 3, "v": "reloaded", "w": "x"})
    damage(pipeline.story("rotten"), 1)
    pipeline.story("rotten").changes(2, change("U", 2, id=1, v="good", w="x"))
    wider = (Column("id", pa.int64()), Column("v", pa.string()), Column("new", pa.string()))
    for name in ("frozen", "strict"):
        Story(pipeline.raw, name, wider).changes(1, change("U", 1, id=1, v="wide", new="x"))
        Story(pipeline.raw, name, ID_V_W[:2]).changes(2, change("U", 2, id=2, v="narrow"))
    renamed = (ID_V_W[0], Column("v2", pa.string()))
    Story(pipeline.raw, "renamed", renamed).changes(2, change("U", 2, id=1, v2="new"), change("I", 2, id=3, v2="c"))
    [row] = [row for row in pipeline.lakehouse.rows["cdc_tables.csv"] if row["source_table"] == "renamed"]
    row["renamed_columns"] = "v=v2"
    pipeline.lakehouse.make_models()
    csv = pipeline.lakehouse.raw / "csv" / "s" / "plain"
    (csv / "20240131-230100000.csv").write_text(
        "U,2024-01-31 23:01:00.000000,2,changed,9.99,2024-03-01,extra\n"
        "D,2024-01-31 23:01:00.000000,3,,,,\n"
        "I,2024-01-31 23:01:00.000000,5,bad amount,1.999,2024-03-01,\n"
        "I,2024-01-31 23:01:00.000000,6,too short\n"
        "I,2024-01-31 23:01:00.000000,7,good,7.00,2024-03-01,\n"
    )
    named = pipeline.lakehouse.raw / "header" / "s" / "named"
    (named / "20240131-230100000.csv").write_text("Op,v,id,colour\nU,B,2,red\nI,C,3,\n")


def batch_3(pipeline):
    """Late files, and the first rows of a table that had none."""
    pipeline.story("out_of_order").changes(
        10,
        change("U", 10, id=1, v="old", w="x"),
        change("U", 10, id=2, v="old", w="x"),
        change("U", 10, id=3, v="mid", w="x"),
    )
    pipeline.story("reinsert").changes(2, change("I", 2, id=1, v="back", w="x"))
    pipeline.story("soft").changes(3, change("I", 3, id=2, v="back", w="x"), change("D", 3, id=77))
    pipeline.story("reload").changes(12, change("U", 12, id=1, v="after", w="x"))
    pipeline.story("reload").changes(6, change("U", 6, id=2, v="too late", w="x"))
    wider = Story(pipeline.raw, "rotten", (*ID_V_W, Column("never", pa.string())))
    damage(wider, 3)
    pipeline.story("rotten").changes(4, change("U", 4, id=2, v="good", w="x"))
    # A file from before the rename arrives late.
    Story(pipeline.raw, "renamed", ID_V_W[:2]).changes(1, change("U", 1, id=1, v="old"), change("U", 1, id=2, v="late"))
    sold = (Column("id", pa.int64()), Column("sold_at", pa.timestamp("us", tz="UTC")))
    pipeline.story("late_comer", columns=sold).load(5, {"id": 1, "sold_at": at(5)})


# The tests of single tables wait until all has come.
MODELS = ("--exclude-resource-type", "test")
WITHOUT_GENERIC = ("--exclude", "test_type:generic")


@pytest.fixture(scope="module")
def pipeline(empty_lakehouse):
    pipeline = Pipeline(empty_lakehouse)
    set_up(pipeline)
    batch_1(pipeline)
    pipeline.build(*MODELS)
    pipeline.see("load", "late_comer", "*")
    batch_2(pipeline)
    pipeline.lakehouse.dbt("run", "--select", "rejected_files", "raw_listing")
    pipeline.drift = pipeline.lakehouse.command(drift)
    pipeline.build(*WITHOUT_GENERIC)
    pipeline.see("changes", "out_of_order")
    pipeline.see("changes", "reload")
    pipeline.see("changes", "soft", "id, v, _cdc_is_deleted")
    batch_3(pipeline)
    pipeline.build()
    names = [
        f"{layer}.{row.tableName}"
        for layer in ("bronze", "silver")
        for row in empty_lakehouse.sql(f"show tables in {layer}")
    ]
    pipeline.before = {name: empty_lakehouse.snapshots(name) for name in names}
    pipeline.build(*MODELS)
    pipeline.after = {name: empty_lakehouse.snapshots(name) for name in names}
    return pipeline


def test_models_pass_in_every_batch_and_their_tests_when_all_has_come(pipeline):
    allowed = {"every_raw_file_is_accounted_for", "every_raw_folder_has_a_table", "quarantine_is_empty"}
    # The table without a key gets an update.
    allowed |= {"no_change_without_key"}
    for statuses in pipeline.statuses:
        bad = {name: status for name, status in statuses.items() if status not in ("success", "pass")}
        assert set(bad) <= allowed, bad


def test_an_older_file_that_arrives_later_never_wins(pipeline):
    assert pipeline.seen["changes", "out_of_order"] == [(1, "new"), (3, "a")]
    assert pipeline.table("out_of_order") == [(1, "new"), (3, "mid")]


def test_a_deleted_row_comes_back_when_it_is_inserted_again(pipeline):
    assert pipeline.table("reinsert") == [(1, "back"), (2, "a"), (3, "a")]


def test_new_columns_appear_and_types_widen(pipeline):
    assert pipeline.table("drift", "id, v, added") == [(1, "a", None), (2**40, "b", Decimal("1.25"))]


def test_rows_that_break_a_rule_are_kept_in_quarantine(pipeline):
    assert pipeline.table("rules") == [(1, "a"), (5, "ok"), (8, "lower"), (9, "fits")]
    rows = pipeline.lakehouse.sql(
        "select rule, reason, content from etl_metadata.quarantine where source_table = 'rules'"
    )
    assert sorted(row.rule for row in rows) == [
        "missing_key",
        "uncastable_value",
        "unknown_operation",
        "unknown_operation",
    ]
    reasons = {row.reason for row in rows}
    assert "no value in key id" in reasons
    assert "operation is 'X', expected I, U or D" in reasons
    assert "operation is missing, expected I, U or D" in reasons
    command = """dbt run-operation change_types --args '{"table": "s__rules"}'"""
    assert f"id is 'nine' of type string, expected int: run {command}" in reasons
    assert all("does not" in row.content for row in rows if row.rule == "uncastable_value")


def test_a_soft_deleted_row_keeps_its_last_image(pipeline):
    assert pipeline.seen["changes", "soft"] == [(1, "b", True), (2, "a", True), (3, "a", False)]
    assert pipeline.table("soft", "id, v, _cdc_is_deleted") == [
        (1, "b", True),
        (2, "back", False),
        (3, "a", False),
        (77, None, True),
    ]


def test_a_complete_reload_removes_what_it_no_longer_holds(pipeline):
    assert pipeline.seen["changes", "reload"] == [(1, "reloaded"), (2, "before"), (3, "reloaded")]
    assert pipeline.table("reload") == [(1, "after"), (3, "reloaded")]


def test_a_table_without_key_gets_every_insert(pipeline):
    assert pipeline.table("log") == [(1, "a"), (1, "a"), (2, "b")]


def test_a_table_without_files_exists_and_takes_the_types_that_arrive(pipeline):
    assert pipeline.seen["load", "late_comer"] == []
    assert pipeline.table("late_comer", "id, sold_at") == [(1, datetime(2024, 1, 31, 23, 5))]
    partitions = pipeline.lakehouse.sql("select partition.sold_at_day as day from silver.s__late_comer.partitions")
    assert [str(row.day) for row in partitions] == ["2024-01-31"]


def test_csv_values_are_read_exactly(pipeline):
    rows = pipeline.table("plain", "id, v, amount, cast(day as string), extra")
    assert rows == [
        (1, 'a,"b"\nc', Decimal("1.50"), "2024-01-31", None),
        (2, "changed", Decimal("9.99"), "2024-03-01", "extra"),
        (4, None, Decimal("3.00"), "2024-02-01", "more"),
        (7, "good", Decimal("7.00"), "2024-03-01", None),
    ]
    loaded = pipeline.lakehouse.sql("select id, v, amount from bronze.s__plain where _cdc_operation = 'L' order by id")
    assert [(row.id, row.v) for row in loaded] == [(1, 'a,"b"\nc'), (2, ""), (3, "NULL"), (4, None)]


def test_csv_rows_that_do_not_fit_are_quarantined_with_their_line(pipeline):
    rows = pipeline.lakehouse.sql(
        "select file_row, rule, reason, content from etl_metadata.quarantine"
        " where source_table = 'plain' order by file_row"
    )
    assert [(row.file_row, row.rule) for row in rows] == [(2, "uncastable_value"), (3, "malformed_record")]
    assert rows[0].reason == "amount is '1.999', expected decimal(10,2)"
    assert rows[1].reason == "the record has 4 fields, expected 6 to 7"
    assert rows[1].content == "I,2024-01-31 23:01:00.000000,6,too short"


def test_csv_with_header_is_read_by_name_and_new_columns_appear(pipeline):
    assert pipeline.table("named", "id, v, colour") == [(1, "first\nline", None), (2, "B", "red"), (3, "C", None)]


def test_a_renamed_column_is_one_column_and_loses_no_value(pipeline):
    assert pipeline.table("renamed", "id, v2") == [(1, "new"), (2, "late"), (3, "c")]
    names = [row.col_name for row in pipeline.lakehouse.sql("describe silver.s__renamed")]
    assert "v2" in names and "v" not in names


def test_a_frozen_silver_keeps_its_columns_and_bronze_has_all(pipeline):
    rows = pipeline.lakehouse.sql("select * from silver.s__frozen order by id")
    assert [(row.id, row.v) for row in rows] == [(1, "wide"), (2, "narrow")]
    assert "new" not in rows[0] and "new" not in rows[0].asDict()
    types = {row.col_name: row.data_type for row in pipeline.lakehouse.sql("describe bronze.s__frozen")}
    assert (types["id"], types["new"]) == ("int", "string")
    assert pipeline.lakehouse.dbt("run-operation", "rebuild_silver", "--args", "{table: s__frozen}").success
    rebuilt = pipeline.lakehouse.sql("select * from silver.s__frozen order by id")
    assert [row.asDict().keys() for row in rebuilt] == [row.asDict().keys() for row in rows]
    assert pipeline.table("frozen") == [(1, "wide"), (2, "narrow")]


def test_files_that_drift_are_quarantined_whole_where_the_table_asks_for_it(pipeline):
    assert pipeline.table("strict") == [(1, "a"), (2, "narrow")]
    [row] = pipeline.lakehouse.sql("select * from etl_metadata.quarantine where source_table = 'strict'")
    command = """dbt run-operation change_types --args '{"table": "s__strict"}'"""
    assert row.rule == "schema_drift"
    assert row.reason == f"column id is bigint, expected int: run {command}; column new string is new"
    assert '"id":1,"v":"wide","new":"x"' in row.content


def test_drift_is_reported_before_it_is_applied(pipeline):
    shown = {tuple(re.split(" {2,}", line)) for line in pipeline.drift.splitlines()}
    assert {row for row in shown if row[0] in ("s__renamed", "s__frozen", "s__strict", "s__drift", "s__reinsert")} == {
        ("s__renamed", "column v is called v2 now", "bronze and silver rename it"),
        ("s__frozen", "column id is bigint, the table has int", CAST_FAILURES),
        ("s__frozen", "column new string is new", "bronze adds it, silver does not"),
        ("s__strict", "column id is bigint, the table has int", DRIFTS),
        ("s__strict", "column new string is new", DRIFTS),
        (
            "s__strict",
            "1 of 2 rows: column id is bigint, expected int; column new string is new",
            "quarantine (schema_drift)",
        ),
        ("s__drift", "column id is bigint, the table has int", "bronze and silver widen it"),
        ("s__drift", "column added decimal(8,2) is new", "bronze and silver add it"),
    }


def test_a_file_that_cannot_be_read_is_rejected_and_stops_nothing_else(pipeline):
    assert pipeline.table("broken") == [(1, "a")]
    assert pipeline.table("rotten") == [(1, "good"), (2, "good"), (3, "a")]
    rows = pipeline.lakehouse.sql(
        "select file_key, reason from etl_metadata.raw_processed_files where status = 'rejected' order by file_key"
    )
    rotten = [f"s/rotten/20240131-230{minute}00000.parquet" for minute in (1, 3)]
    assert [row.file_key for row in rows] == ["s/broken/LOAD00000002.parquet", *rotten]
    assert "never" not in pipeline.lakehouse.sql("select * from bronze.s__rotten")[0], "it adds no column either"
    assert all(row.reason for row in rows)
    for statuses in pipeline.statuses[1:3]:
        assert statuses["every_raw_file_is_accounted_for"] == "fail"
    for messages in pipeline.messages[1:3]:
        assert "s/broken/LOAD00000002.parquet" in messages, "the failure names the file"


def test_every_other_file_has_a_status_and_a_reason(pipeline):
    rows = pipeline.lakehouse.sql(
        "select file_key, status, reason from etl_metadata.raw_processed_files"
        " where status in ('ignored', 'waiting') and feed in ('parquet', 'csv', 'header')"
    )
    assert {row.file_key: (row.status, row.reason) for row in rows} == {
        "s/awsdms_status/LOAD00000001.parquet": ("ignored", "DMS control table"),
        "s/litter/LOAD0000000A.parquet": ("ignored", "zero-byte file"),
        "s/litter/LOAD0000000B.parquet.tmp": ("ignored", "temporary file"),
        "s/litter/readme.parquet": ("ignored", "the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>"),
        "s/nobody/LOAD00000001.parquet": ("waiting", "no row in seeds/cdc_tables.csv"),
        "s/waiting/LOAD00000001.parquet": ("waiting", "the row in seeds/cdc_tables.csv is not active"),
    }
    assert pipeline.statuses[2]["every_raw_folder_has_a_table"] == "warn"


def test_every_row_of_every_ingested_file_is_in_bronze_once(pipeline):
    files = pipeline.lakehouse.sql(
        "select distinct source_table, file_key, path from etl_metadata.raw_processed_files"
        " where status = 'ingested' and path like '%.parquet'"
    )
    assert len(files) > 20
    for file in files:
        counted = pipeline.lakehouse.sql(
            f"select count(*) as n from bronze.s__{file.source_table} where _cdc_source_file = '{file.file_key}'"
        )
        assert (file.path, counted[0].n) == (file.path, sum(pipeline.delivered[file.path].values()))


def test_a_run_with_nothing_new_adds_no_snapshot(pipeline):
    assert len(pipeline.before) > 25
    assert pipeline.after == pipeline.before
