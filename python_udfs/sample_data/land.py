"""Lands the scenarios as files, as DMS and Debezium would.

The days are fixed (python_udfs/sample_data/scenarios.py), so the same bytes land under the same names each time.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.sample_data import scenarios
from python_udfs.sample_data.debezium_writer import Connector
from python_udfs.sample_data.dms_writer import DmsTask, SourceTable

if TYPE_CHECKING:
    from collections.abc import Callable

TIMESTAMP_COLUMN = "dms_timestamp"
LOAD_ROWS_PER_FILE = 3000
CHANGE_ROWS_PER_FILE = 1000


def dms_task(root: Path, feed: str) -> DmsTask:
    """The DMS task of a feed: parquet, or CSV without a header; one folder per table, and ``cdc`` for transactions."""
    if scenarios.COMES_AS[feed] == scenarios.DMS_PARQUET:
        return DmsTask(root / feed, data_format="parquet", timestamp_column_name=TIMESTAMP_COLUMN)
    # Quoting the empty text keeps it apart from NULL (docs/feeds/dms_format.md, Values in CSV).
    return DmsTask(root / feed, timestamp_column_name=TIMESTAMP_COLUMN, csv_quote_ambiguous_text=True)


def land_full_load(root: Path, day: date = scenarios.CURRENT_DAY) -> dict[str, int]:
    """Writes the full load of every table under ``root``, as of the evening before ``day``; returns rows per table."""
    written_at = scenarios.load_time(day)
    counts: dict[str, int] = {}
    for source in scenarios.sources(day):
        if scenarios.COMES_AS[source.feed] == scenarios.DEBEZIUM:
            connector = Connector(root / source.feed, source.feed)
            connector.write(connector.snapshot(source.loaded, written_at), written_at)
        else:
            task = dms_task(root, source.feed)
            for table, rows in source.loaded:
                task.full_load(table, rows, written_at, rows_per_file=LOAD_ROWS_PER_FILE)
        counts |= {_label(table): len(rows) for table, rows in source.loaded}
    return counts


def land_changes(root: Path, day: date = scenarios.CURRENT_DAY) -> dict[str, int]:
    """Writes the changes of ``day`` under ``root``, five minutes between batches; returns changes per table."""
    counts: Counter[str] = Counter()
    for source in scenarios.sources(day):
        write = _change_writer(root, source, day)
        for number, batch in enumerate(source.batches):
            write(batch, scenarios.change_time(day) + number * scenarios.BETWEEN_BATCHES)
            counts.update(_label(table) for table, _ in batch)
    return dict(counts)


def _label(table: SourceTable) -> str:
    return f"{table.schema}.{table.name}"


def _change_writer(root: Path, source: scenarios.Source, day: date) -> Callable[[scenarios.Batch, datetime], object]:
    """Writer of a batch of the source's changes, given the time at which it is written."""
    if scenarios.COMES_AS[source.feed] == scenarios.DEBEZIUM:
        connector = Connector(root / source.feed, source.feed)
        # The snapshot was sent before: positions and offsets continue from there.
        connector.snapshot(source.loaded, scenarios.load_time(day))
        return lambda batch, written_at: connector.write(connector.changes(batch), written_at)
    task = dms_task(root, source.feed)
    if scenarios.COMES_AS[source.feed] == scenarios.DMS_TRANSACTIONS:
        return task.transactions

    def by_table(batch: scenarios.Batch, written_at: datetime) -> None:
        for table in dict.fromkeys(table for table, _ in batch):
            changes = [change for its_table, change in batch if its_table == table]
            task.changes(table, changes, written_at, rows_per_file=CHANGE_ROWS_PER_FILE)

    return by_table
