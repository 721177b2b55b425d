"""`make drift` on all that may wait: parquet and CSV files, transaction files, messages that are not split yet."""

from __future__ import annotations

import json
import re
from typing import Any

import pyarrow as pa
import pytest
from stories import Story, at, change

from python_udfs.drift.__main__ import main as drift
from python_udfs.drift.changes import NEW_COLUMN_REMEDY, TYPE_REMEDY
from python_udfs.drift.report import CAST
from python_udfs.sample_data.dms_writer import Column, DmsTask, SourceTable

NUMBERS = (Column("id", pa.int32()), Column("v", pa.int32()), Column("w", pa.string()))
BOOKED = SourceTable("s", "booked", NUMBERS[:2], ("id",))
NULL, ADDED = "its rows get NULL", "bronze and silver add it"


def message(number: Any, **data: Any) -> str:
    row = {"id": number, **data}
    return json.dumps({"database": "s", "table": "ordered", "type": "insert", "ts": 1, "xid": 1, "data": row})


def land(lakehouse: Any, path: str, *lines: str) -> None:
    file = lakehouse.raw / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines))


def snapshots(lakehouse: Any) -> dict[str, list[int]]:
    tables = ("bronze.s__retyped", "bronze.s__named", "bronze.s__ordered", "bronze.s__booked")
    tables += ("etl_metadata.split_topics", "etl_metadata.split_booking", "etl_metadata.rejected_files")
    return {table: lakehouse.snapshots(table) for table in tables}


@pytest.fixture(scope="module")
def shown(empty_lakehouse):
    """Lines of the report as (table, what waits, the next run), its notes, and whether a table has got a snapshot."""
    lakehouse = empty_lakehouse
    lakehouse.add_feed("wait", "parquet", "timestamp_column=ts")
    lakehouse.add_feed("header", "csv", "header=true")
    lakehouse.add_feed("topics", "json", connector="maxwell")
    lakehouse.add_feed("booking", "csv", "timestamp_column=ts;transaction_files=true")
    lakehouse.add_table("wait", "retyped")
    lakehouse.add_table("wait", "renamed")
    lakehouse.add_table("wait", "first")
    lakehouse.add_table("header", "named", columns="id int, v string")
    lakehouse.add_table("topics", "ordered", columns="id int, v string, w string")
    lakehouse.add_table("booking", "booked", columns="id int, v int")
    lakehouse.make_models()
    for name in ("retyped", "renamed"):
        Story(lakehouse.raw / "wait", name, NUMBERS).load(0, {"id": 1, "v": 1, "w": "x"})
    land(lakehouse, "header/s/named/LOAD00000001.csv", "id,v", "1,a")
    land(lakehouse, "topics/one.json", message(1, v="a", w="x"))
    task = DmsTask(lakehouse.raw / "booking", timestamp_column_name="ts", csv_quote_ambiguous_text=True)
    task.full_load(BOOKED, [{"id": 1, "v": 1}], at(0))
    assert set(lakehouse.statuses("run").values()) == {"success"}

    wider = (Column("id", pa.int64()), Column("v", pa.int64()), Column("w", pa.string()))
    Story(lakehouse.raw / "wait", "retyped", wider).changes(1, change("I", 1, id=2, v=2**40, w="y"))
    texts = (Column("id", pa.int64()), Column("v", pa.string()))
    other = [change("I", 2, id=3, v="7"), change("I", 2, id=4, v="none"), change("I", 2, id=5, v="x")]
    Story(lakehouse.raw / "wait", "retyped", texts).changes(2, *other)
    new = (NUMBERS[0], Column("amount", pa.int32()), NUMBERS[2], Column("day", pa.date32()))
    Story(lakehouse.raw / "wait", "renamed", new).changes(1, change("U", 1, id=1, amount=2, w="x", day=None))
    Story(lakehouse.raw / "wait", "first", NUMBERS).load(0, {"id": 1, "v": 1, "w": "x"})
    land(lakehouse, "header/s/named/20240131-230100000.csv", "Op,id,plan", "U,one,basic")
    land(lakehouse, "header/s/named/20240131-230200000.csv", "Op,id,v", "U,1,b")
    land(lakehouse, "topics/two.json", message(2, v="b", plan="basic"), message("z", v="c"), message("zz", v="d"))
    bad = task.transactions([(BOOKED, change("I", 3, id=2, v=5))], at(3))
    bad.write_text(bad.read_text().replace(",5", ",five"))
    lakehouse.statuses("run", "--select", "rejected_files", "raw_listing")
    before = snapshots(lakehouse)
    said = lakehouse.command(drift).splitlines()
    lines = {tuple(re.split(" {2,}", line)) for line in said[2 : said.index("")]}
    return lines, said[said.index("") + 1 :], before == snapshots(lakehouse)


def of(shown: Any, table: str) -> set[tuple[str, ...]]:
    return {line[1:] for line in shown[0] if line[0] == table}


def test_nothing_is_written_and_no_progress_moves(shown):
    assert shown[2]


def test_each_type_of_a_column_is_shown_and_what_it_costs(shown):
    assert of(shown, "s__retyped") == {
        ("column id is bigint, the table has int", "bronze and silver widen it"),
        ("column v is bigint, the table has int", "bronze and silver widen it"),
        ("column v is string, the table then has bigint", CAST),
        ("column w is missing in a part of the files", NULL),
        (
            "2 of 4 rows: v is 'none' of type string, expected bigint: run dbt run-operation change_types --args"
            """ '{"table": "s__retyped"}'""",
            "quarantine (uncastable_value)",
        ),
    }
    assert TYPE_REMEDY in shown[1]


def test_a_missing_column_beside_a_new_one_may_be_a_rename(shown):
    assert of(shown, "s__renamed") == {
        ("column amount int is new", ADDED),
        ("column day date is new", ADDED),
        ("column v is missing", NULL),
        ("was column v renamed to amount?", "if so, first v=amount in renamed_columns"),
    }
    assert NEW_COLUMN_REMEDY in shown[1]


def test_headers_of_csv_files_show_what_is_new_and_missing(shown):
    assert of(shown, "s__named") == {
        ("column plan string is new", ADDED),
        ("column v is missing in a part of the files", NULL),
        ("was column v renamed to plan?", "if so, first v=plan in renamed_columns"),
        ("1 of 2 rows: id is 'one', expected int", "quarantine (uncastable_value)"),
    }


def test_messages_that_are_not_split_yet_show_what_is_new_and_missing(shown):
    assert of(shown, "s__ordered") == {
        ("column plan string is new", ADDED),
        ("column w is missing", NULL),
        ("was column w renamed to plan?", "if so, first w=plan in renamed_columns"),
        ("2 of 3 rows: id is 'z', expected int", "quarantine (uncastable_value)"),
    }


def test_records_of_transaction_files_are_judged(shown):
    assert of(shown, "s__booked") == {("1 of 1 row: v is 'five', expected int", "quarantine (uncastable_value)")}


def test_a_first_load_makes_the_table(shown):
    assert of(shown, "s__first") == {(f"column {name} is new", ADDED) for name in ("id int", "v int", "w string")}
