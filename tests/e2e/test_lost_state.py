"""Tables of etl_metadata that are dropped, rolled back or restored from a backup: silver is as if nothing had happened.

One small lakehouse, put back between the cases: Iceberg's files stay, so that its tables are registered again.
"""

from __future__ import annotations

import os
import shutil

import pyarrow as pa
import pytest
from stories import Story, change

from python_udfs.sample_data.dms_writer import Column
from tests.proof import IS_PROOF

COLUMNS = (Column("id", pa.int32()), Column("v", pa.string()))
TABLES = {
    "l_hard": {},
    "l_soft": {"delete_mode": "soft"},
    "l_life": {"mode": "history", "unchanged_rows": "write"},
    "l_log": {"mode": "append", "primary_key": ""},
}
STATE = ("raw_listing", "rejected_files", "split_lost_txn", "run_metrics", "silver_checks", "incidents", "cdc_tables")
BATCHES = 3


class Shop:
    """Tables that were loaded twice, whose files were overwritten, delivered again and rejected, in three batches."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        folder = lakehouse.raw / "lost"
        self.stories = {name: Story(folder, name, COLUMNS) for name in TABLES}
        self.bank = Story(lakehouse.raw / "lost_txn", "l_txn", COLUMNS, data_format="csv")

    def changes(self, minutes, *names):
        for name in names or TABLES:
            self.stories[name].changes(
                minutes, change("U", minutes, id=1, v=f"at {minutes}"), change("I", minutes, id=int(minutes), v="new")
            )
        self.bank.task.transactions(
            [(self.bank.table, change("U", minutes, id=1, v=f"at {minutes}"))], change("U", minutes).committed_at
        )

    def reload(self, minutes, *names):
        """A load that lacks most keys, and the change that completes it."""
        for name in names:
            self.stories[name].load(minutes, {"id": 1, "v": f"loaded at {minutes}"}, {"id": 50, "v": "loaded"})
            self.stories[name].changes(minutes + 1, change("I", minutes + 1, id=int(minutes), v="after the load"))

    def overwrite(self, minutes, name):
        """Another row in the change file that was written at this moment."""
        self.stories[name].changes(minutes, change("U", minutes, id=2, v="other content"))

    def deliver_again(self, minutes, name):
        """The load file as it is, with another time."""
        path = self.lakehouse.raw / "lost" / "s" / name / "LOAD00000001.parquet"
        at = change("U", minutes).committed_at.timestamp()
        os.utime(path, (at, at))

    def first(self):
        for story in (*self.stories.values(), self.bank):
            story.load(0, {"id": 1, "v": "a"}, {"id": 2, "v": "b"}, {"id": 3, "v": "c"})
        self.changes(5)
        self.run(is_compared=True)
        self.reload(10, "l_hard", "l_life")
        self.deliver_again(10, "l_soft")
        self.overwrite(5, "l_soft")
        (self.lakehouse.raw / "lost/s/l_soft/20240131-232000000.parquet").write_bytes(b"no parquet")
        self.changes(15)
        self.run()
        self.changes(20, "l_life", "l_log")
        self.run(is_compared=True)

    def run(self, is_compared=IS_PROOF):
        """A run; the data tests follow the last one, and the first: the cases lose what they have noted, too."""
        statuses = self.lakehouse.run_and_compare() if is_compared else self.lakehouse.statuses("run")
        assert set(statuses.values()) <= {"success", "pass"}, statuses

    def silver(self):
        rows = {}
        for name in (*TABLES, "l_txn"):
            columns = [
                row.col_name
                for row in self.lakehouse.sql(f"describe silver.s__{name}")
                if row.col_name not in ("_cdc_batch_id", "") and not row.col_name.startswith(("#", "Part"))
            ]
            rows[name] = self.lakehouse.table(name, ", ".join(columns))
        return rows


def locations(lakehouse):
    """The metadata file of each Iceberg table."""
    paths = {}
    for schema in ("etl_metadata", "bronze", "silver"):
        for row in lakehouse.sql(f"show tables in {schema}"):
            name = f"{schema}.{row.tableName}"
            files = lakehouse.sql(f"select file from {name}.metadata_log_entries order by timestamp desc limit 1")
            paths[name] = files[0].file
    return paths


@pytest.fixture(scope="module")
def shop(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("lost", "parquet", "timestamp_column=ts")
    lakehouse.add_feed("lost_txn", "csv", "timestamp_column=ts;transaction_files=true")
    for name, cells in TABLES.items():
        lakehouse.add_table("lost", name, **cells)
    lakehouse.add_table("lost_txn", "l_txn", columns="id int, v string")
    lakehouse.make_models()
    lakehouse.dbt("seed")
    shop = Shop(lakehouse)
    shop.first()
    shop.kept = locations(lakehouse)
    shutil.copytree(lakehouse.raw, lakehouse.raw.with_name("raw_kept"))
    continue_from(shop)
    shop.expected = shop.silver()
    yield shop
    shutil.rmtree(lakehouse.raw.with_name("raw_kept"))


def put_back(shop):
    """The lakehouse as it was before anything was lost."""
    lakehouse = shop.lakehouse
    for name in locations(lakehouse):
        lakehouse.sql(f"drop table {name}")
    for name, file in shop.kept.items():
        lakehouse.sql(f"call system.register_table('{name}', '{file}')")
    shutil.rmtree(lakehouse.raw)
    shutil.copytree(lakehouse.raw.with_name("raw_kept"), lakehouse.raw)


def continue_from(shop):
    """A redelivery and later changes, and then another reload and overwritten files."""
    shop.deliver_again(24, "l_hard")
    shop.changes(25)
    shop.run()
    shop.reload(30, "l_hard", "l_soft", "l_life")
    shop.overwrite(15, "l_soft")
    shop.overwrite(25, "l_log")
    shop.changes(35)
    shop.run(is_compared=True)


def drop(shop, name):
    shop.lakehouse.sql(f"drop table etl_metadata.{name}")


def roll_back(shop, name):
    first = shop.lakehouse.snapshots(f"etl_metadata.{name}")[0]
    shop.lakehouse.sql(f"call system.rollback_to_snapshot('etl_metadata.{name}', {first})")


def restore(shop, name):
    """A backup of the table as it was after its first commit: its history does not show what came later."""
    table = f"etl_metadata.{name}"
    files = shop.lakehouse.sql(f"select file from {table}.metadata_log_entries order by timestamp limit 1")
    shop.lakehouse.sql(f"drop table {table}")
    shop.lakehouse.sql(f"call system.register_table('{table}', '{files[0].file}')")


def double(shop, name):
    """Rows that losses of an earlier version have left: each row of bronze is there twice, in two batches."""
    table = f"bronze.s__{name}"
    columns = [row.col_name for row in shop.lakehouse.sql(f"describe {table}")]
    columns = columns[: columns.index("_cdc_quarantine_content") + 1]
    again = ", ".join("_cdc_batch_id + 1" if column == "_cdc_batch_id" else f"`{column}`" for column in columns)
    shop.lakehouse.sql(
        f"insert into {table} ({', '.join(f'`{column}`' for column in columns)}) select {again} from {table}"
    )


CASES = {
    "rows are in bronze twice": (double, [*TABLES, "l_txn"]),
    **{f"{name} is dropped": (drop, [name]) for name in ("raw_listing", "rejected_files", "split_lost_txn")},
    "what is only shown is dropped": (drop, [*STATE[3:]]),
    "all is dropped": (drop, STATE),
    **{f"{name} is rolled back": (roll_back, [name]) for name in ("raw_listing", "rejected_files", "split_lost_txn")},
    "all is rolled back": (roll_back, STATE),
    "raw_listing is restored": (restore, ["raw_listing"]),
    "all is restored": (restore, STATE),
}


# `make prove` runs all of them; test_histories.py drops raw_listing in `make test`.
FEW = ("rejected_files is dropped", "all is rolled back")


@pytest.mark.parametrize("case", CASES if IS_PROOF else FEW)
def test_lost_state_comes_back(shop, case):
    put_back(shop)
    lose, names = CASES[case]
    for name in names:
        lose(shop, name)
    if "cdc_tables" in names:
        shop.lakehouse.dbt("seed")
    continue_from(shop)
    if lose is double:
        for name in names:
            assert shop.lakehouse.dbt("run-operation", "rebuild_silver", "--args", f"{{table: s__{name}}}").success, (
                name
            )
    actual = shop.silver()
    for name, rows in shop.expected.items():
        assert actual[name] == rows, name
