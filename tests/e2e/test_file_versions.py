"""Files that come again: touched, corrected, reloaded, gone and back, copied to another location (decision 0026).

All tables live in one project and are built three times.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from stories import ID_V_W, Story, at, change

from python_udfs.metadata import COLUMNS_FILE
from python_udfs.sample_data.dms_writer import DmsTask, SourceTable

TRANSACTIONS = SourceTable("s", "v_transactions", ID_V_W, ("id",))
COLUMNS = "id int, v string, w string"


def row(key, v):
    return {"id": key, "v": v, "w": "x"}


class Versions:
    """The project, its tables as each build left them, and what the builds said."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        self.builds: list[dict[str, str]] = []
        self.messages: list[str] = []
        self.seen: list[dict[str, list]] = []
        self.tables: list[str] = []
        lakehouse.add_feed("v_parquet", "parquet", "timestamp_column=ts")
        lakehouse.add_feed("v_append", "parquet", "timestamp_column=ts")
        lakehouse.add_feed("v_multi", "csv", "timestamp_column=ts;transaction_files=true")
        for name in (
            "v_corrected",
            "v_touched",
            "v_partly",
            "v_identical",
            "v_back",
            "v_restored",
            "v_same",
            "v_twice",
        ):
            self.add("v_parquet", name)
        self.add("v_parquet", "v_history", mode="history", unchanged_rows="write")
        self.add("v_append", "v_append", primary_key="", mode="append")
        self.add("v_multi", "v_transactions", columns=COLUMNS)
        lakehouse.add_feed("v_csv", "csv", "timestamp_column=ts")
        for name in ("v_retyped", "v_widened"):
            self.add("v_csv", name, columns="id int, v int")
        lakehouse.add_feed("v_plain", "parquet")
        self.add("v_plain", "v_stays", vanished_files="truncate")
        self.add("v_plain", "v_emptied", vanished_files="truncate")
        lakehouse.make_models()

    def add(self, feed: str, name: str, **cells: str) -> None:
        self.tables.append(name)
        self.lakehouse.add_table(feed, name, **cells)

    def story(self, name: str, feed: str = "v_parquet") -> Story:
        return Story(self.lakehouse.raw / feed, name, ID_V_W, ("id",), timestamp_column_name="ts")

    def load(self, name: str, minutes: float, *rows, number: int = 1, feed: str = "v_parquet") -> Path:
        """One LOAD file; every load of the writer begins with number 1."""
        workshop = Story(self.lakehouse.raw.parent / "workshop", name, ID_V_W, ("id",), timestamp_column_name="ts")
        [made] = workshop.load(0, *rows)
        target = self.lakehouse.raw / feed / "s" / name / f"LOAD{number:08X}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        return touch(made.replace(target), minutes)

    def retype(self) -> None:
        """The seed states other types for the columns v; bronze gets one of them."""
        for row in self.lakehouse.rows[COLUMNS_FILE]:
            if row["column_name"] == "v" and row["source_table"] in ("v_retyped", "v_widened"):
                row["data_type"] = "string" if row["source_table"] == "v_retyped" else "bigint"
        self.lakehouse.make_models()
        assert self.lakehouse.dbt("run-operation", "change_types", "--args", "{table: s__v_retyped}").success

    def build(self, is_last: bool = False) -> None:
        self.builds.append(self.lakehouse.run_and_compare() if is_last else self.lakehouse.statuses("run"))
        self.messages += self.lakehouse.messages
        broken = {name: status for name, status in self.builds[-1].items() if status in ("error", "skipped")}
        assert not broken, (broken, self.lakehouse.messages)
        self.seen.append({name: self.lakehouse.table(name, "id, v") for name in self.tables})


def touch(path: Path, minutes: float) -> Path:
    os.utime(path, (at(minutes).timestamp(),) * 2)
    return path


@pytest.fixture(scope="module")
def versions(empty_lakehouse):
    versions_of_files = Versions(empty_lakehouse)
    lakehouse = versions_of_files.lakehouse
    multi = DmsTask(lakehouse.raw / "v_multi", timestamp_column_name="ts", csv_quote_ambiguous_text=True)

    multi.full_load(TRANSACTIONS, [row(1, "a"), row(2, "a")], at(0))
    transaction = multi.transactions([(TRANSACTIONS, change("U", 5, **row(1, "b")))], at(5))
    versions_of_files.load("v_corrected", 0, row(1, "a"))
    corrected = touch(versions_of_files.story("v_corrected").changes(5, change("U", 5, **row(1, "b")))[0], 5)
    content = corrected.read_bytes()
    corrected.write_bytes(b"half a file")
    touch(corrected, 5)
    first = versions_of_files.load("v_touched", 0, row(1, "a"), row(2, "a"), row(4, "a"))
    versions_of_files.load("v_touched", 1, row(3, "a"), number=2)
    versions_of_files.story("v_touched").changes(5, change("U", 5, **row(1, "b")))
    versions_of_files.load("v_partly", 0, row(1, "a"), row(2, "a"))
    versions_of_files.load("v_partly", 1, row(3, "a"), number=2)
    versions_of_files.load("v_identical", 0, row(1, "a"))
    second = versions_of_files.load("v_identical", 1, row(2, "a"), number=2)
    versions_of_files.story("v_identical").changes(5, change("U", 5, **row(2, "b")))
    away = []
    for name in ("v_back", "v_history"):
        versions_of_files.load(name, 0, row(1, "a"))
        away += versions_of_files.story(name).changes(5, change("U", 5, **row(1, "b")))
    versions_of_files.load("v_append", 0, row(1, "a"), row(1, "a"), feed="v_append")
    versions_of_files.story("v_append", "v_append").changes(5, change("I", 5, **row(2, "b")))
    restored = versions_of_files.load("v_restored", 0, row(1, "a"))
    versions_of_files.story("v_restored").changes(5, change("U", 5, **row(1, "b")))
    versions_of_files.story("v_same").load(0, row(1, "a"))
    versions_of_files.story("v_same").changes(5, change("U", 5, **row(1, "b")))
    versions_of_files.load("v_twice", 0, row(1, "a"))
    versions_of_files.story("v_twice").changes(5, change("I", 5, **row(2, "b")))
    retyped = []
    for name, value in (("v_retyped", "abc"), ("v_widened", 3_000_000_000)):
        load = lakehouse.raw / "v_csv" / "s" / name / "LOAD00000001.csv"
        load.parent.mkdir(parents=True)
        load.write_text(f"2024-01-31 23:00:00,1,10\n2024-01-31 23:00:00,2,{value}\n")
        retyped.append(touch(load, 0))
        later = load.with_name("20240131-230500000.csv")
        later.write_text("U,2024-01-31 23:05:00,1,11\nI,2024-01-31 23:05:00,3,30\n")
        touch(later, 5)
    for name in ("v_stays", "v_emptied"):
        emptied = versions_of_files.load(name, 0, row(1, "a"), row(2, "b"), feed="v_plain")
    whole = emptied.read_bytes()
    versions_of_files.build()
    versions_of_files.retype()

    for load in retyped:
        touch(load, 10)
    emptied.unlink()
    touch(restored, -10)
    versions_of_files.story("v_same").load(10, row(1, "a"))
    multi.full_load(TRANSACTIONS, [row(1, "reloaded"), row(2, "reloaded")], at(10))
    versions_of_files.load("v_corrected", 10, row(1, "reloaded"))
    touch(first, 10)
    versions_of_files.story("v_touched").changes(12, change("U", 12, **row(2, "c")))
    versions_of_files.load("v_partly", 10, row(1, "reloaded"))
    versions_of_files.story("v_partly").changes(12, change("U", 12, **row(1, "c")))
    reloaded = versions_of_files.load("v_twice", 10, row(3, "reloaded"))
    versions_of_files.story("v_twice").changes(12, change("I", 12, **row(4, "c")))
    touch(second, 10)
    kept = [(path, path.stat().st_mtime_ns, path.read_bytes()) for path in away]
    for path in away:
        path.unlink()
    versions_of_files.build()

    emptied.write_bytes(whole)
    touch(emptied, 20)
    touch(transaction, 20)
    touch(reloaded, 20)
    corrected.write_bytes(content)
    touch(corrected, 20)
    versions_of_files.load("v_partly", 14, row(4, "reloaded"), number=2)
    versions_of_files.load("v_identical", 11, row(1, "reloaded"))
    versions_of_files.story("v_identical").changes(12, change("U", 12, **row(1, "c")))
    for path, modified, bytes_ in kept:
        path.write_bytes(bytes_)
        os.utime(path, ns=(modified, modified))
    shutil.copytree(lakehouse.raw / "v_append", lakehouse.raw / "v_elsewhere")
    shutil.rmtree(lakehouse.raw / "v_append")
    for number, path in enumerate(sorted((lakehouse.raw / "v_elsewhere").rglob("*.parquet"))):
        touch(path, 30 + number)
    lakehouse.rows["cdc_feeds.csv"][1]["location"] = "v_elsewhere"
    lakehouse.make_models()
    versions_of_files.build(is_last=True)
    return versions_of_files


def test_a_transaction_file_that_is_delivered_again_after_a_reload_stays_below_it(versions):
    assert versions.seen[0]["v_transactions"] == [(1, "b"), (2, "a")]
    assert versions.seen[2]["v_transactions"] == [(1, "reloaded"), (2, "reloaded")]


def test_a_change_file_that_is_corrected_after_a_reload_stays_below_it(versions):
    assert versions.seen[2]["v_corrected"] == [(1, "reloaded")]


def test_a_load_file_that_is_only_touched_changes_nothing(versions):
    assert versions.seen[1]["v_touched"] == [(1, "b"), (2, "c"), (3, "a"), (4, "a")]
    files = versions.lakehouse.sql(
        "select file_key, status, reason from etl_metadata.raw_processed_files"
        " where source_table = 'v_touched' and reason is not null"
    )
    assert [(row.file_key, row.status) for row in files] == [("s/v_touched/LOAD00000001.parquet", "ignored")]
    assert files[0].reason == "delivered again: the same rows as the version of 2024-01-31 23:00:00 UTC"


def test_a_load_file_with_an_older_time_than_before_changes_nothing(versions):
    assert versions.seen[1]["v_restored"] == versions.seen[2]["v_restored"] == [(1, "b")]
    files = versions.lakehouse.sql(
        "select status, reason from etl_metadata.raw_processed_files where source_table = 'v_restored' and reason <> ''"
    )
    assert [tuple(row) for row in files] == [("ignored", "replaced by newer content before it was read")]


def test_a_reload_with_the_rows_that_the_table_had_at_first_is_known_by_its_timestamp_column(versions):
    assert versions.seen[0]["v_same"] == [(1, "b")]
    assert versions.seen[1]["v_same"] == [(1, "a")]


def test_a_reload_removes_nothing_before_its_last_load_file_has_come(versions):
    assert versions.seen[1]["v_partly"] == [(1, "c"), (2, "a"), (3, "a")]
    assert [line for line in versions.messages if "s/v_partly/LOAD00000002.parquet" in line and "not complete" in line]
    assert versions.seen[2]["v_partly"] == [(1, "c"), (4, "reloaded")]


def test_a_load_file_that_a_reload_writes_as_it_was_belongs_to_the_reload(versions):
    assert versions.seen[1]["v_identical"] == [(1, "a"), (2, "b")], "alone it is a redelivery"
    assert versions.seen[2]["v_identical"] == [(1, "c"), (2, "a")]


def test_a_file_that_goes_and_comes_back_is_read_once(versions):
    for name in ("v_back", "v_history"):
        [counts] = versions.lakehouse.sql(
            f"select count(*) as n, count(distinct _cdc_sequence) as positions from bronze.s__{name}"
        )
        assert (counts.n, counts.positions) == (2, 2), name
    assert versions.seen[0]["v_history"] == versions.seen[2]["v_history"] == [(1, "a"), (1, "b")]


def test_a_location_that_moves_doubles_no_row_of_a_table_without_a_key(versions):
    assert versions.seen[0]["v_append"] == versions.seen[2]["v_append"] == [(1, "a"), (1, "a"), (2, "b")]


def test_every_model_is_built_and_silver_matches_bronze(versions):
    for statuses in versions.builds:
        bad = {name: status for name, status in statuses.items() if status not in ("success", "pass", "warn")}
        assert not bad
    assert len([name for name in versions.builds[-1] if name.startswith("silver_matches_bronze")]) == len(
        versions.tables
    )


def test_a_load_file_that_was_delivered_again_is_read_if_bronze_has_lost_its_rows(versions):
    """The version that bronze had read is gone, and the one that is there was rejected as the same."""
    lakehouse = versions.lakehouse
    for layer in ("bronze", "silver"):
        lakehouse.sql(f"drop table {layer}.s__v_touched")
        first = lakehouse.snapshots(f"{layer}.s__v_twice")[0]
        lakehouse.sql(f"call system.rollback_to_snapshot('{layer}.s__v_twice', {first})")
    statuses = lakehouse.run_and_compare()
    assert set(statuses.values()) == {"success", "pass"}, statuses
    for name in ("v_touched", "v_twice"):
        assert lakehouse.table(name, "id, v") == versions.seen[2][name], name
    assert versions.seen[2]["v_twice"] == [(3, "reloaded"), (4, "c")]


def test_a_load_file_is_known_again_after_its_quarantine_was_mended(versions):
    assert versions.seen[0]["v_retyped"] == [(1, 11), (3, 30)]
    assert versions.seen[1]["v_retyped"] == [(1, "11"), (2, "abc"), (3, "30")]
    assert versions.seen[1]["v_widened"] == [(1, 11), (3, 30)]


def test_a_load_file_with_the_same_rows_fills_a_table_that_was_truncated(versions):
    assert [seen["v_emptied"] for seen in versions.seen] == [[(1, "a"), (2, "b")], [], [(1, "a"), (2, "b")]]
