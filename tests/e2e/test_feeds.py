"""Feeds whose files hold changes of many tables, from raw files to silver."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest
from stories import ID_V_W, START, at, change

from python_udfs.landing.split import MARKER_ROW
from python_udfs.sample_data.dms_writer import Column, DmsTask, SourceTable

WIDE = (*ID_V_W, Column("n", pa.int64()))
ONE = SourceTable("s", "mixed_one", ID_V_W, ("id",))
TWO = SourceTable("s", "mixed_two", WIDE, ("id",))
UNKNOWN = SourceTable("s", "nobody", ID_V_W[:2], ("id",))


class Mixed:
    """A task that preserves transactions, and what was seen after each build."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.task = DmsTask(lakehouse.raw / "mixed", timestamp_column_name="ts", csv_quote_ambiguous_text=True)
        self.builds = []
        self.seen = []

    def build(self):
        self.builds.append(self.lakehouse.build("--select", "+tag:feed:mixed", "raw_processed_files"))
        names = ("mixed_one", "mixed_two")
        self.seen.append({name: [row[:3] for row in self.lakehouse.table(name, "id, v, w")] for name in names})


@pytest.fixture(scope="module")
def mixed(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("mixed", "csv", "timestamp_column=ts;transaction_files=true")
    lakehouse.add_table("mixed", "mixed_one", columns="id int, v string, w string")
    lakehouse.add_table("mixed", "mixed_two", columns="id int, v string, w string, n bigint?")
    lakehouse.make_models()
    mixed = Mixed(lakehouse)
    task = mixed.task

    task.full_load(ONE, [{"id": 1, "v": "a", "w": "x"}, {"id": 2, "v": "a", "w": "x"}], START)
    task.full_load(TWO, [{"id": 1, "v": "a", "w": "x", "n": 1}], START)
    mixed.build()

    first = task.transactions(
        [
            (ONE, change("U", 1, id=1, v="b", w="x")),
            (TWO, change("I", 1, id=2, v='two,\n"lines"', w="", n=2**40)),
            (ONE, change("D", 1, id=2)),
            (UNKNOWN, change("I", 1, id=1, v="?")),
            (ONE, change("I", 1, id=3, v="c", w=None)),
        ],
        at(5),
    )
    mixed.build()

    later = task.transactions([(ONE, change("U", 9, id=1, v="c", w="x"))], at(10))
    earlier = task.transactions([(ONE, change("U", 8, id=1, v="late", w="x"))], at(8))
    with later.open("a") as file:
        file.write("I,mixed_two,s,2024-01-31 23:10:00.000000,9\nI\n")
    os.utime(first, (at(20).timestamp(),) * 2)
    os.utime(earlier, (at(11).timestamp(),) * 2)
    mixed.build()

    task.full_load(ONE, [{"id": 7, "v": "new", "w": "x"}], at(30))
    task.transactions([(ONE, change("U", 31, id=7, v="newer", w="x")), (TWO, change("D", 31, id=1))], at(31))
    mixed.build()
    mixed.build()
    return mixed


def test_every_build_passes_but_for_what_nobody_described(mixed):
    for number, statuses in enumerate(mixed.builds):
        assert set(statuses.values()) <= {"success", "pass", "warn"}, statuses
        expected = "pass" if number == 0 else "warn"
        assert statuses.get("every_mixed_record_has_a_table", expected) == expected


def test_loads_and_changes_of_many_tables_meet_in_silver(mixed):
    assert mixed.seen[0] == {"mixed_one": [(1, "a", "x"), (2, "a", "x")], "mixed_two": [(1, "a", "x")]}
    two = [(1, "a", "x"), (2, 'two,\n"lines"', "")]
    assert mixed.seen[1] == {"mixed_one": [(1, "b", "x"), (3, "c", None)], "mixed_two": two}


def test_late_and_replayed_files_change_nothing_that_is_newer(mixed):
    assert mixed.seen[2]["mixed_one"] == [(1, "c", "x"), (3, "c", None)]


def test_a_reload_ends_what_came_before_it(mixed):
    assert (
        mixed.seen[3]
        == mixed.seen[4]
        == {"mixed_one": [(7, "newer", "x")], "mixed_two": mixed.seen[2]["mixed_two"][1:]}
    )


def test_each_record_is_in_bronze_once_for_each_time_it_was_delivered(mixed):
    rows = mixed.lakehouse.sql(
        "select _cdc_file_row, count(*) as deliveries, count(distinct _cdc_sequence) as places from bronze.s__mixed_one"
        " where _cdc_source_file like '%CDC_TXN-20240131230500000.csv' and _cdc_operation <> 'X' group by 1 order by 1"
    )
    assert [tuple(row) for row in rows] == [(0, 2, 2), (3, 2, 2), (5, 2, 2)]


def test_a_record_of_the_wrong_width_is_in_quarantine_at_its_place(mixed):
    rows = mixed.lakehouse.sql(
        "select _cdc_file_row, _cdc_quarantine_rule, _cdc_quarantine_content from bronze.s__mixed_two"
        " where _cdc_quarantine_rule is not null"
    )
    assert [tuple(row) for row in rows] == [(1, "malformed_record", "I,mixed_two,s,2024-01-31 23:10:00.000000,9")]


def test_tables_that_nobody_described_are_told_and_wait(mixed):
    found = mixed.lakehouse.sql(
        "select source_table, count(*) as records from etl_metadata.split_mixed where path is not null"
        f" and file_row < {MARKER_ROW}"
        " and coalesce(source_table, '') not like 'mixed%' group by 1 order by 1"
    )
    assert [tuple(row) for row in found] == [(None, 1), ("nobody", 2)]
    lakehouse = mixed.lakehouse
    lakehouse.add_table("mixed", "nobody", columns="id int, v string")
    lakehouse.make_models()
    statuses = lakehouse.statuses("run", "--select", "bronze_s__nobody", "silver_s__nobody")
    assert set(statuses.values()) == {"success"}
    assert lakehouse.table("nobody", "id, v") == [(1, "?")]


def test_every_object_is_accounted_for(mixed):
    rows = mixed.lakehouse.sql("select kind, status, count(*) from etl_metadata.raw_processed_files group by 1, 2")
    assert sorted(tuple(row) for row in rows) == [("load", "ingested", 3), ("multi_table", "ingested", 5)]
