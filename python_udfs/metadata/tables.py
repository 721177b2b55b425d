"""Tables: the rows of ``cdc_tables.csv``, with their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from python_udfs.metadata.files import WORDS, items
from python_udfs.metadata.names import default_target, proposed_target, table_name
from python_udfs.metadata.partitions import PartitionField, read_partition_by
from python_udfs.metadata.readers import Limit, check_readers, choose_write_mode, read_readers
from python_udfs.metadata.table_checks import check_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from python_udfs.metadata.columns import Column
    from python_udfs.metadata.feeds import Feed
    from python_udfs.metadata.files import Row, TableId

UNCHANGED_ROWS_OF_MODE = {"current": "write", "history": "skip", "append": "write"}
# These three follow from write_mode, so that a row cannot contradict itself.
WRITE_MODE_PROPERTIES = ("write.merge.mode", "write.update.mode", "write.delete.mode")


@dataclass(frozen=True)
class Table:
    """One row of ``cdc_tables.csv`` with its rows of ``cdc_columns.csv`` in the order of their positions.

    Empty cells are filled in: ``target_table`` is the name of the table in each layer's schema, for example
    ``sampledb__product``, and ``unchanged_rows``, ``schema_drift`` and ``vanished_files`` always hold a word.
    ``renamed_columns`` are pairs of the old and the new name. ``readers`` are those of the row or of the project,
    ``avoided`` their limits for which ``write_mode`` is not the default.
    """

    feed: str
    source_schema: str
    source_table: str
    target_table: str
    primary_key: tuple[str, ...]
    delete_mode: str
    mode: str
    key_comparison: tuple[str, ...]
    unchanged_rows: str
    schema_drift: str
    renamed_columns: tuple[tuple[str, str], ...]
    vanished_files: str
    partition_by: tuple[PartitionField, ...]
    write_mode: str
    table_properties: tuple[tuple[str, str], ...]
    readers: tuple[str, ...]
    lag_limit_minutes: int | None
    active: bool
    owner: str
    description: str
    columns: tuple[Column, ...]
    avoided: tuple[Limit, ...] = ()

    def model(self, layer: str) -> str:
        """Name of the table's dbt model in ``layer``, for example ``silver_sampledb__product``."""
        return f"{layer}_{self.target_table}"


def read_tables(
    rows: Sequence[Row],
    feeds: Mapping[str, Feed],
    columns: Mapping[TableId, list[Column] | None] | None,
    readers: tuple[str, ...] = (),
) -> list[Table]:
    """The tables, each checked with its feed and its columns.

    Args:
        rows: the rows of ``cdc_tables.csv``.
        feeds: feed by name.
        columns: columns by table, None if they are not known; None as a whole if their file could not be read.
        readers: programs that read tables whose row names none.
    """
    tables: list[Table] = []
    sources: dict[TableId, Row] = {}
    targets: dict[str, Row] = {}
    for row in rows:
        if row.broken:
            continue
        its_columns = None if columns is None else columns.get(row.table_id, [])
        table = choose_write_mode(row, _read_table(row, its_columns or [], readers))
        if table.source_schema and table.source_table:
            _is_there_once(row, table, sources.get(row.table_id), targets.get(table.target_table))
        sources.setdefault(row.table_id, row)
        targets.setdefault(table.target_table, row)
        check_table(row, table, feeds.get(row["feed"]), are_columns_known=its_columns is not None)
        check_readers(row, table)
        tables.append(table)
    return tables


def _read_table(row: Row, columns: Sequence[Column], readers: tuple[str, ...]) -> Table:
    mode = row.word("mode")
    return Table(
        feed=row["feed"],
        source_schema=row.filled("source_schema"),
        source_table=row.filled("source_table"),
        target_table=_target_table(row),
        primary_key=tuple(map(table_name, row.names("primary_key", items(row["primary_key"])))),
        delete_mode=row.word("delete_mode"),
        mode=mode,
        key_comparison=_key_comparison(row),
        unchanged_rows=row.word_or_default("unchanged_rows", UNCHANGED_ROWS_OF_MODE.get(mode)),
        schema_drift=row.word_or_default("schema_drift"),
        renamed_columns=_renamed_columns(row),
        vanished_files=row.word_or_default("vanished_files"),
        partition_by=read_partition_by(row),
        write_mode=row.word_or_default("write_mode"),
        table_properties=_table_properties(row),
        readers=read_readers(row, readers),
        lag_limit_minutes=_lag_limit_minutes(row),
        active=row.boolean("active"),
        owner=row["owner"],
        description=row["description"],
        columns=tuple(columns),
    )


def _is_there_once(row: Row, table: Table, same_source: Row | None, same_target: Row | None) -> None:
    """Reports a table that an earlier row has, by its source or else by its target."""
    name = f"{table.source_schema}.{table.source_table} of feed {table.feed}"
    if same_source:
        received = f"{name} again, first in line {same_source.line}"
        row.problem("source_table", received, "each table of a feed once", "Remove one of the two.")
    elif same_target:
        other = f"{same_target['source_schema']}.{same_target['source_table']} of feed {same_target['feed']}"
        received = f"{table.target_table!r} for {name}, as for {other} in line {same_target.line}"
        fix = f"Name another table in one of the two cells, for example {proposed_target(*row.table_id)}."
        row.problem("target_table", received, "a table of its own for each row", fix)


def _target_table(row: Row) -> str:
    """The name in the cell, or the one that follows from schema and table."""
    name = row["target_table"]
    if name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        accepted = "nothing, or a lower-case letter, then lower-case letters, digits and _"
        row.problem("target_table", repr(name), accepted, "Choose such a name, or empty the cell.")
    return name or default_target(row["source_schema"], row["source_table"])


def _key_comparison(row: Row) -> tuple[str, ...]:
    comparisons, accepted = items(row["key_comparison"]), WORDS[row.file]["key_comparison"]
    for word in comparisons:
        if word not in accepted:
            sentence = f"nothing (exact), or {' and '.join(accepted)} separated by ;"
            row.problem("key_comparison", repr(word), sentence, "Write one of these words.")
    for word in sorted({word for word in comparisons if comparisons.count(word) > 1}):
        row.problem("key_comparison", f"{word!r} twice", "each word once", "Remove one of the two.")
    return tuple(comparisons)


def _renamed_columns(row: Row) -> tuple[tuple[str, str], ...]:
    pairs = row.pairs("renamed_columns")
    row.names("renamed_columns", pairs)
    for old, new in pairs.items():
        received = repr(f"{old}={new}")
        for name in (old, new):
            if not name:
                accepted = "old=new, two names"
                row.problem("renamed_columns", received, accepted, "Write the old name, then the new one.")
        if old.lower() == new.lower():
            fix = "Remove it: upper and lower case make no difference."
            row.problem("renamed_columns", received, "two different names", fix)
        elif new.lower() in (other.lower() for other in pairs):
            fix = "Give each old name the name that the column has now."
            row.problem("renamed_columns", received, "a new name that is not renamed again", fix)
    return tuple(sorted((table_name(old), table_name(new)) for old, new in pairs.items()))


def _table_properties(row: Row) -> tuple[tuple[str, str], ...]:
    pairs = row.pairs("table_properties")
    for key in pairs:
        if key in WRITE_MODE_PROPERTIES:
            fix = "Remove it and set write_mode."
            row.problem("table_properties", repr(key), "properties other than the write modes", fix)
    return tuple(sorted(pairs.items()))


def _lag_limit_minutes(row: Row) -> int | None:
    text = row["lag_limit_minutes"]
    if text and not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        accepted = "nothing, or a whole number of minutes from 1"
        row.problem("lag_limit_minutes", repr(text), accepted, "Write for example 60, or empty the cell.")
        return None
    return int(text) if text else None
