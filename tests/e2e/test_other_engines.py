"""Other engines maintain our tables: they rewrite files, expire snapshots and overwrite rows with the same rows.

Each does so to every table between the bronze and the silver write of a run, and again between two runs.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.sql import SparkSession

from tests.e2e.stories import Story, at, change
from tests.proof import IS_PROOF

TABLES = ("merged", "marked", "kept", "appended", "mixed")
PROGRESS_IS_GONE = "no snapshot is left that records how far it is"


class Engine:
    """Another program: a Spark session without the project's settings, and PyIceberg.

    Args:
        warehouse: folder of the embedded catalog.
    """

    def __init__(self, warehouse) -> None:
        self.spark = SparkSession.builder.getOrCreate().newSession()
        self.catalog = SqlCatalog(
            "lakehouse", uri=f"sqlite:///{warehouse}/catalog.db", warehouse=str(warehouse), init_catalog_tables="false"
        )

    def tables(self) -> list[str]:
        tables = [row for name in ("etl_metadata", "bronze", "silver") for row in self.rows(f"show tables in {name}")]
        return [f"{row.namespace}.{row.tableName}" for row in tables if not row.isTemporary]

    def rows(self, query: str) -> list:
        return self.spark.sql(query).collect()

    def rewrite(self) -> None:
        """OPTIMIZE: data files, position deletes and manifests."""
        for table in self.tables():
            for procedure in ("rewrite_data_files", "rewrite_position_delete_files"):
                self.rows(f"call system.{procedure}(table => '{table}', options => map('rewrite-all', 'true'))")
            self.rows(f"call system.rewrite_manifests('{table}')")

    def expire(self) -> None:
        """VACUUM: all snapshots but the current one, in every table."""
        now = datetime.now(timezone.utc) + timedelta(seconds=1)
        for table in self.tables():
            self.rows(
                f"call system.expire_snapshots(table => '{table}', older_than => timestamp '{now}', retain_last => 1)"
            )

    def rewrite_and_expire(self) -> None:
        """Maintenance by other services: afterwards no snapshot of ours is left."""
        self.rewrite()
        self.expire()

    def overwrite(self) -> None:
        """All rows are deleted and written again, which no engine marks as a compaction; PyIceberg then expires."""
        for name in [table for table in self.tables() if table.startswith(("bronze.", "silver."))]:
            table = self.catalog.load_table(name)
            table.overwrite(table.scan().to_arrow())
            table.maintenance.expire_snapshots().older_than(datetime.now() + timedelta(days=1)).commit()


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("files", "parquet", "timestamp_column=ts")
    lakehouse.add_feed("txn", "csv", "timestamp_column=ts;transaction_files=true")
    lakehouse.add_table("files", "merged", delete_mode="hard")
    lakehouse.add_table("files", "marked", delete_mode="soft")
    lakehouse.add_table("files", "kept", mode="history")
    lakehouse.add_table("files", "appended", "", mode="append")
    lakehouse.add_table("txn", "mixed", columns="id int, v string, w string")
    lakehouse.make_models()
    return lakehouse


class Source:
    """Writes files, and knows what silver has to hold."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse, self.minute = lakehouse, 0
        self.stories = {name: Story(lakehouse.raw / "files", name) for name in TABLES[:-1]}
        self.mixed = Story(lakehouse.raw / "txn", "mixed", data_format="csv")

    def changes(self) -> None:
        """A row comes, the one before it changes, the one before that goes."""
        self.minute += 1
        now = self.minute
        changes = [change("I", now, id=now, v="new", w="w")]
        if now > 1:
            changes.append(change("U", now, id=now - 1, v="changed", w="w"))
        if now > 2:
            changes.append(change("D", now, id=now - 2, v="changed", w="w"))
        for story in self.stories.values():
            story.changes(now, *changes)
        self.mixed.task.transactions([(self.mixed.table, change) for change in changes], at(now))

    def check(self) -> None:
        now = self.minute
        rows = [(now - 1, "changed"), (now, "new")] if now > 1 else [(1, "new")]
        for name in ("merged", "mixed"):
            assert self.lakehouse.table(name, "id, v") == rows, name
        marked = [(number, "changed", True) for number in range(1, now - 1)] + [(*row, False) for row in rows]
        assert self.lakehouse.table("marked", "id, v, _cdc_is_deleted") == sorted(marked, key=repr)
        assert len(self.lakehouse.table("appended")) == now
        open_versions = [row[:2] for row in self.lakehouse.table("kept", "id, v, _cdc_valid_to") if row[2] is None]
        assert open_versions == rows
        assert len(self.lakehouse.table("kept")) == now + max(now - 1, 0)
        for name in TABLES:
            positions = self.lakehouse.sql(f"select _cdc_source_file, _cdc_file_row from bronze.s__{name}")
            assert len(positions) == len(set(positions)) == now + max(now - 1, 0) + max(now - 2, 0), name


@pytest.fixture(scope="module")
def source(lakehouse):
    source = Source(lakehouse)
    source.changes()
    run(lakehouse)
    return source


def run(lakehouse, *selected: str) -> None:
    statuses = lakehouse.statuses("run", *selected)
    assert set(statuses.values()) <= {"success"}, lakehouse.messages


ACTIONS: dict[str, Callable[[Engine], None]] = {
    "rewrite": Engine.rewrite,
    "expire": Engine.expire,
    "rewrite and expire": Engine.rewrite_and_expire,
    "overwrite": Engine.overwrite,
}

# The others are parts of these two: `make prove` runs all of them.
FEW = ("rewrite and expire", "overwrite")


@pytest.mark.parametrize("name", ACTIONS if IS_PROOF else FEW)
def test_progress_survives_other_engines_or_the_run_says_what_is_missing(lakehouse, source, name):
    action = ACTIONS[name]
    engine = Engine(lakehouse.warehouse)
    source.changes()
    run(lakehouse, "--exclude", "silver", "run_metrics")
    action(engine)
    run(lakehouse, "--select", "silver")
    is_gone = any(PROGRESS_IS_GONE in message for message in lakehouse.messages)
    assert is_gone == (action in (Engine.rewrite_and_expire, Engine.overwrite))
    source.check()
    action(engine)
    source.changes()
    run(lakehouse)
    source.check()
    statuses = lakehouse.statuses("test", "--select", "silver", "--vars", "cdc_compare_days: 0")
    assert set(statuses.values()) <= {"pass", "warn", "success"}, lakehouse.messages
