"""Feeds whose files hold changes of many tables, from raw files to silver."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest
from stories import ID_V_W, START, at, change

from python_udfs.pipeline.sequence import MARKER_ROW
from python_udfs.sample_data.dms_writer import Column, DmsTask, SourceTable

WIDE = (*ID_V_W, Column("n", pa.int64()))
ONE = SourceTable("s", "multi_one", ID_V_W, ("id",))
TWO = SourceTable("s", "multi_two", WIDE, ("id",))
UNKNOWN = SourceTable("s", "nobody", ID_V_W[:2], ("id",))
TEST = "every_multi_table_record_has_a_table"


class MultiTable:
    """A task that preserves transactions, and what was seen after each build."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.task = DmsTask(lakehouse.raw / "multi", timestamp_column_name="ts", csv_quote_ambiguous_text=True)
        self.builds = []
        self.seen = []

    def build(self, *, is_last=False):
        """All data tests run when all has come, the one that this is about after each build."""
        models = ("--select", "+tag:feed:multi", "raw_processed_files")
        self.builds.append(self.lakehouse.build(*models) if is_last else self.lakehouse.run_and_test(TEST, run=models))
        names = ("multi_one", "multi_two")
        self.seen.append({name: [row[:3] for row in self.lakehouse.table(name, "id, v, w")] for name in names})


@pytest.fixture(scope="module")
def multi(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("multi", "csv", "timestamp_column=ts;transaction_files=true")
    lakehouse.add_table("multi", "multi_one", columns="id int, v string, w string")
    lakehouse.add_table("multi", "multi_two", columns="id int, v string, w string, n bigint?")
    lakehouse.make_models()
    multi = MultiTable(lakehouse)
    task = multi.task

    task.full_load(ONE, [{"id": 1, "v": "a", "w": "x"}, {"id": 2, "v": "a", "w": "x"}], START)
    task.full_load(TWO, [{"id": 1, "v": "a", "w": "x", "n": 1}], START)
    multi.build()

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
    multi.build()

    later = task.transactions([(ONE, change("U", 9, id=1, v="c", w="x"))], at(10))
    earlier = task.transactions([(ONE, change("U", 8, id=1, v="late", w="x"))], at(8))
    with later.open("a") as file:
        file.write("I,multi_two,s,2024-01-31 23:10:00.000000,9\nI\n")
    os.utime(first, (at(20).timestamp(),) * 2)
    os.utime(earlier, (at(11).timestamp(),) * 2)
    multi.build()

    task.full_load(ONE, [{"id": 7, "v": "new", "w": "x"}], at(30))
    task.transactions([(ONE, change("U", 31, id=7, v="newer", w="x")), (TWO, change("D", 31, id=1))], at(31))
    multi.build()
    multi.build(is_last=True)
    return multi


def test_every_build_passes_but_for_tables_without_metadata(multi):
    for number, statuses in enumerate(multi.builds):
        assert set(statuses.values()) <= {"success", "pass", "warn"}, statuses
        expected = "pass" if number == 0 else "warn"
        assert statuses[TEST] == expected


def test_loads_and_changes_of_many_tables_meet_in_silver(multi):
    assert multi.seen[0] == {"multi_one": [(1, "a", "x"), (2, "a", "x")], "multi_two": [(1, "a", "x")]}
    two = [(1, "a", "x"), (2, 'two,\n"lines"', "")]
    assert multi.seen[1] == {"multi_one": [(1, "b", "x"), (3, "c", None)], "multi_two": two}


def test_late_and_replayed_files_change_nothing_that_is_newer(multi):
    assert multi.seen[2]["multi_one"] == [(1, "c", "x"), (3, "c", None)]


def test_a_reload_ends_what_came_before_it(multi):
    assert (
        multi.seen[3]
        == multi.seen[4]
        == {"multi_one": [(7, "newer", "x")], "multi_two": multi.seen[2]["multi_two"][1:]}
    )


def test_each_record_is_in_bronze_once_for_each_time_it_was_delivered(multi):
    rows = multi.lakehouse.sql(
        "select _cdc_file_row, count(*) as deliveries, count(distinct _cdc_sequence) as positions"
        " from bronze.s__multi_one"
        " where _cdc_source_file like '%CDC_TXN-20240131230500000.csv' and _cdc_operation <> 'X' group by 1 order by 1"
    )
    assert [tuple(row) for row in rows] == [(0, 2, 2), (3, 2, 2), (5, 2, 2)]


def test_a_record_of_the_wrong_width_is_in_quarantine_at_its_row(multi):
    rows = multi.lakehouse.sql(
        "select _cdc_file_row, _cdc_quarantine_rule, _cdc_quarantine_content from bronze.s__multi_two"
        " where _cdc_quarantine_rule is not null"
    )
    assert [tuple(row) for row in rows] == [(1, "malformed_record", "I,multi_two,s,2024-01-31 23:10:00.000000,9")]


def test_tables_without_metadata_are_reported_and_wait(multi):
    rows = multi.lakehouse.sql(
        "select source_table, count(*) as records from etl_metadata.split_multi where path is not null"
        f" and file_row < {MARKER_ROW}"
        " and coalesce(source_table, '') not like 'multi%' group by 1 order by 1"
    )
    assert [tuple(row) for row in rows] == [(None, 1), ("nobody", 2)]
    lakehouse = multi.lakehouse
    lakehouse.add_table("multi", "nobody", columns="id int, v string")
    lakehouse.make_models()
    statuses = lakehouse.statuses("run", "--select", "bronze_s__nobody", "silver_s__nobody")
    assert set(statuses.values()) == {"success"}
    assert lakehouse.table("nobody", "id, v") == [(1, "?")]


def test_every_file_is_accounted_for(multi):
    rows = multi.lakehouse.sql("select kind, status, count(*) from etl_metadata.raw_processed_files group by 1, 2")
    assert sorted(tuple(row) for row in rows) == [("load", "ingested", 3), ("multi_table", "ingested", 5)]
