"""Columns: the rows of ``cdc_columns.csv``, by table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from python_udfs.metadata.data_types import read_data_type
from python_udfs.metadata.files import COLUMNS_FILE, TABLES_FILE, WORDS, shown
from python_udfs.metadata.names import table_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from python_udfs.metadata.feeds import Feed
    from python_udfs.metadata.files import Row, TableId

UNITS = ("ms", "us", "ns")
# Words of the cell `encoding` by the type of the column.
ENCODINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("timestamp", UNITS),
    ("date", ("days", *UNITS)),
    (r"(tiny|small|big)?int$|decimal\(\d+,0\)$", ("bits",)),
)


@dataclass(frozen=True)
class Column:
    """One row of ``cdc_columns.csv``.

    ``data_type`` is a Spark SQL type in one spelling, None if not given. ``encoding`` is how messages without a
    schema write the values, empty if not given.
    """

    name: str
    position: int
    data_type: str | None
    optional: bool
    description: str
    encoding: str = ""


def read_columns(
    rows: Sequence[Row], table_rows: Sequence[Row] | None, feeds: Mapping[str, Feed]
) -> dict[TableId, list[Column] | None]:
    """The columns of each table; None if a broken row leaves open what they are."""
    known_tables = None if table_rows is None else {row.table_id for row in table_rows}
    grouped: dict[TableId, list[Row]] = {}
    for row in rows:
        if known_tables is not None and not row.broken and row.table_id not in known_tables:
            received = f"{row['source_schema']}.{row['source_table']} of feed {row['feed']}"
            fix = "Correct the names (upper and lower case count) or add the table."
            row.problem("source_table", received, f"a table of {TABLES_FILE}", fix)
        grouped.setdefault(row.table_id, []).append(row)
    return {table_id: _columns_of_table(rows, feeds.get(table_id[0])) for table_id, rows in grouped.items()}


def _columns_of_table(rows: list[Row], feed: Feed | None) -> list[Column] | None:
    columns: list[tuple[Row, Column]] = []
    lines: dict[str, int] = {}
    for row in rows:
        if row.broken:
            continue
        name = row.filled("column_name")
        if feed and feed.options.header and name == "Op" and feed.options.operation_column != "never":
            received = "'Op', the name that DMS gives to its own column in a header"
            fix = "Rename it by a transformation rule of the task: a header that has it twice is ambiguous."
            row.problem("column_name", received, "columns of the source only", fix)
        if feed and name and name.lower() == (feed.options.timestamp_column or "").lower():
            received = f"{name!r}, the timestamp_column of feed {feed.feed}"
            row.problem("column_name", received, "columns of the source only", "Remove the row.")
        if name and name.lower() in lines:
            received = f"{name!r} again, first in line {lines[name.lower()]}"
            row.problem("column_name", received, "each column of a table once", "Remove one of the two.")
        lines.setdefault(name.lower(), row.line)
        data_type = read_data_type(row, obligatory=feed is not None and feed.format != "parquet")
        optional = row.boolean("optional")
        encoding = _encoding(row, feed, data_type)
        columns.append(
            (row, Column(table_name(name), _position(row), data_type, optional, row["description"], encoding))
        )
    if any(row.broken for row in rows):
        return None
    _order(columns)
    return [column for _, column in sorted(columns, key=lambda item: item[1].position)]


def _encoding(row: Row, feed: Feed | None, data_type: str | None) -> str:
    """The cell `encoding`; only Debezium's messages leave open how a value is written (debezium_format.md)."""
    if not row["encoding"]:
        return ""
    if feed and feed.connector != "debezium":
        accepted = "nothing: only messages of connector debezium may come without units"
        row.problem("encoding", shown(row["encoding"]), accepted, "Empty the cell.")
        return ""
    encoding = row.word("encoding")
    words = next((words for pattern, words in ENCODINGS if re.match(pattern, data_type or "")), ())
    if data_type and encoding in WORDS[COLUMNS_FILE]["encoding"] and encoding not in words:
        accepted = f"for {data_type}: {' or '.join(words) or 'nothing'}"
        row.problem("encoding", shown(encoding), accepted, "Correct the cell, or empty it.")
    return encoding


def _position(row: Row) -> int:
    if not re.fullmatch(r"[1-9][0-9]*", row["position"]):
        fix = "Number the columns of a table in their order."
        row.problem("position", shown(row["position"]), "a whole number from 1", fix)
        return 0
    return int(row["position"])


def _order(columns: list[tuple[Row, Column]]) -> None:
    """Positions run 1..n, and optional columns come last: a file that lacks columns lacks the last ones."""
    if any(column.position == 0 for _, column in columns):
        return
    ordered = sorted(columns, key=lambda item: (item[1].position, item[0].line))
    last = 0
    for row, column in ordered:
        if column.position == last:
            received = f"{column.position} again"
            row.problem("position", received, "each position of a table once", "Number the columns again.")
        elif column.position > last + 1:
            received = f"{column.position} after {last}" if last else f"{column.position} first"
            row.problem("position", received, "positions 1, 2, 3 … without gaps", "Number the columns again.")
        last = column.position
    last_obligatory = max((column.position for _, column in columns if not column.optional), default=0)
    for row, column in ordered:
        if column.optional and column.position < last_obligatory:
            received = f"true, but position {last_obligatory} is obligatory"
            fix = "Correct optional or position."
            row.problem("optional", received, "optional columns only at the end", fix)
