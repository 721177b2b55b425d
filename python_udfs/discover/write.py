"""Writes proposed rows as CSV: into a folder for review, or behind the rows of the seeds."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.errors import UsageError
from python_udfs.metadata import COLUMNS_FILE, HEADERS, TABLES_FILE
from python_udfs.metadata.files import LATER_COLUMNS
from python_udfs.metadata.write import write_checked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from python_udfs.discover.propose import Row, Rows

# Cells that identify a row.
IDENTITY = ("feed", "source_schema", "source_table", "column_name")


def read_rows(folder: Path) -> Rows:
    """The rows of the CSV files of a folder by file; none if a file is missing."""
    rows: Rows = {}
    for name in HEADERS:
        path = folder / name
        text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        rows[name] = list(csv.DictReader(io.StringIO(text, newline="")))
    return rows


def write_rows(folder: Path, rows: Mapping[str, Sequence[Row]]) -> None:
    """Write the CSV files with the headers of the seeds, over those that are there; a file may have no rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, header in HEADERS.items():
        text = ",".join(header) + "\n" + _lines(rows.get(name, ()), header, "\n")
        (folder / name).write_text(text, encoding="utf-8")


def append_rows(seeds: Path, rows: Mapping[str, Sequence[Row]]) -> dict[str, int]:
    """Add the rows that the seeds lack; no line that is there changes.

    A table that the seeds know gets rows only for columns that it lacks, if these come after all it has.

    Args:
        seeds: folder of the seeds.
        rows: rows by file.

    Returns:
        How many rows were added, by file.

    Raises:
        MetadataError: the seeds would not be valid with them; nothing is written.
        UsageError: the header of a file lacks the column of a filled cell; nothing is written.
    """
    texts = {}
    added = {}
    # The seeds are valid as a whole only.
    for name, new_rows in select_missing_rows(seeds, {**dict.fromkeys(HEADERS, ()), **rows}).items():
        path = seeds / name
        text = path.read_bytes().decode("utf-8") if path.exists() else ",".join(HEADERS[name]) + "\n"
        end = "\r\n" if "\r\n" in text else "\n"
        header = next(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
        _check_header(f"{seeds.name}/{name}", header, new_rows)
        texts[name] = text + ("" if text.endswith("\n") else end) + _lines(new_rows, header, end) if new_rows else text
        added[name] = len(new_rows)
    write_checked(seeds, texts)
    return {name: added[name] for name in rows}


def _check_header(file: str, header: Sequence[str], rows: Sequence[Row]) -> None:
    for name in LATER_COLUMNS:
        if name not in header and any(row.get(name) for row in rows):
            fix = f"Add `,{name}` at the end of the header line and `,` at the end of each other line"
            raise UsageError([f"{file}: its header lacks the column {name}, which the new rows fill in. {fix}."])


def select_missing_rows(seeds: Path, rows: Mapping[str, Sequence[Row]]) -> Rows:
    """The rows that the seeds lack, as `append_rows` adds them."""
    present = read_rows(seeds)
    tables = {_identity(row)[:3] for row in present[TABLES_FILE]}
    columns: dict[tuple[str, ...], list[str]] = {}
    for row in present[COLUMNS_FILE]:
        columns.setdefault(_identity(row)[:3], []).append(_identity(row)[3])

    missing: Rows = {}
    for name, new_rows in rows.items():
        identities = {_identity(row) for row in present[name]}
        missing[name] = [row for row in new_rows if _identity(row) not in identities]
    proposed: dict[tuple[str, ...], list[str]] = {}
    for row in rows[COLUMNS_FILE]:
        proposed.setdefault(_identity(row)[:3], []).append(_identity(row)[3])
    missing[COLUMNS_FILE] = [
        # Files written before a column was added lack it.
        {**row, "optional": "true"} if columns.get(table) else row
        for row in missing[COLUMNS_FILE]
        if (table := _identity(row)[:3]) not in tables or _begins_with(proposed[table], columns.get(table, []))
    ]
    return missing


def _begins_with(names: Sequence[str], first: Sequence[str]) -> bool:
    return list(names[: len(first)]) == list(first)


def _identity(row: Mapping[str, str]) -> tuple[str, ...]:
    feed, schema, table, column = (row.get(name, "") for name in IDENTITY)
    return feed, schema, table, column.lower()


def _lines(rows: Sequence[Row], header: Sequence[str], end: str) -> str:
    text = io.StringIO()
    csv.DictWriter(text, header, restval="", extrasaction="ignore", lineterminator=end).writerows(rows)
    return text.getvalue()
