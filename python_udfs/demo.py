"""The demonstration: lands the scenario files as AWS DMS would leave them.

``python -m python_udfs.demo land full|changes`` writes into the landing root: LAKEHOUSE_RAW, or ``data/raw`` of the
project. The days are fixed (python_udfs/scenarios.py), so every run lands the same bytes under the same names.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date, timedelta
from pathlib import Path

from python_udfs import scenarios
from python_udfs.dms_writer import DmsTask, SourceTable

PROJECT = Path(__file__).resolve().parent.parent
TIMESTAMP_COLUMN = "dms_timestamp"
LOAD_ROWS_PER_FILE = 3000
CHANGE_ROWS_PER_FILE = 1000


def landing_root() -> Path:
    """The landing root: LAKEHOUSE_RAW, or ``data/raw`` of the project."""
    return Path(os.environ.get("LAKEHOUSE_RAW") or PROJECT / "data" / "raw")


def dms_task(root: Path, table: SourceTable) -> DmsTask:
    """The DMS task that carries ``table``: feed ``retail`` as parquet, feed ``crm`` as CSV without a header."""
    if table == scenarios.CUSTOMER:
        # Quoting the empty text keeps it apart from NULL (docs/contracts.md §1.5).
        return DmsTask(root / "crm", timestamp_column_name=TIMESTAMP_COLUMN, csv_quote_ambiguous_text=True)
    return DmsTask(root / "retail", data_format="parquet", timestamp_column_name=TIMESTAMP_COLUMN)


def land_full_load(root: Path, day: date = scenarios.CURRENT_DAY) -> dict[str, int]:
    """Writes the full load of every table under ``root``, as of the evening before ``day``; returns rows per table."""
    counts = {}
    for table, rows in scenarios.full_load():
        written_at = scenarios.load_time(day)
        dms_task(root, table).full_load(table, rows, written_at, rows_per_file=LOAD_ROWS_PER_FILE, drop_existing=True)
        counts[f"{table.schema}.{table.name}"] = len(rows)
    return counts


def land_changes(root: Path, day: date = scenarios.CURRENT_DAY) -> dict[str, int]:
    """Writes the changes of ``day`` under ``root``, five minutes between files; returns changes per table."""
    counts = {}
    for happened in scenarios.changes(day):
        table, written_at = happened.table, scenarios.change_time(day)
        for changes in happened.files:
            dms_task(root, table).changes(table, changes, written_at, rows_per_file=CHANGE_ROWS_PER_FILE)
            written_at += timedelta(minutes=5)
        counts[f"{table.schema}.{table.name}"] = len(happened.changes)
    return counts


def say(text: str = "") -> None:
    """Prints a line at once, so that it stands in order with dbt's and Spark's own lines."""
    print(text, flush=True)  # noqa: T201 - this module is a command line


def main(arguments: list[str] | None = None) -> int:
    """Runs one subcommand; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m python_udfs.demo", description="Demonstration data and run.")
    commands = parser.add_subparsers(dest="command", required=True)
    land = commands.add_parser("land", help="write demonstration files into the landing root")
    land.add_argument("step", choices=("full", "changes"), help="full: the full loads; changes: what happens after")
    land.add_argument(
        "--day", type=date.fromisoformat, default=scenarios.CURRENT_DAY, help="day of the changes (default %(default)s)"
    )
    options = parser.parse_args(arguments)
    step = land_full_load if options.step == "full" else land_changes
    counts = step(landing_root(), options.day)
    say(f"Landed in {landing_root()}: " + ", ".join(f"{table} {rows:,} rows" for table, rows in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
