"""From what was found to rows of metadata that are valid, whatever the source calls its tables and columns."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING

from python_udfs.discover.found import FoundColumn, Warned
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, TABLES_FILE
from python_udfs.metadata.names import RESERVED_PREFIX, default_target, proposed_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from python_udfs.discover.found import Found, FoundTable
    from python_udfs.metadata import Feed

Row = dict[str, str]
Rows = dict[str, list[Row]]


def propose(source: Found, feed_row: Row, feed: Feed, taken: Mapping[str, tuple[str, str, str]]) -> Rows:
    """Rows of metadata for everything that was found.

    Args:
        source: the tables of a source; warnings are added to them.
        feed_row: the row of the feed, new or from the seeds.
        feed: the same, read.
        taken: feed, schema and name of the tables in the seeds, by target table.

    Returns:
        Rows by file, which `load_metadata` accepts.
    """
    rows: Rows = {FEEDS_FILE: [feed_row], TABLES_FILE: [], COLUMNS_FILE: []}
    sources = dict(taken)
    for table in source.tables:
        is_whole = _drop_impossible_columns(table, feed)
        if _is_impossible(table.schema) or _is_impossible(table.name) or (feed.format == "csv" and not table.columns):
            advice = "Left out: its name has spaces at its ends, or no column is known that a seed can name."
            table.warned.append(Warned("no row", advice))
            continue
        target = _target_table(table, feed, sources)
        _add_rows(rows, table, feed, target, is_whole=is_whole)
    return rows


def _target_table(table: FoundTable, feed: Feed, sources: dict[str, tuple[str, str, str]]) -> str:
    """The cell that gives the table a name of its own; empty if its default is free. Adds the name to `sources`."""
    identity = (feed.feed, table.schema, table.name)
    default, proposed = default_target(table.schema, table.name), proposed_target(*identity)
    present = {source: target for target, source in sources.items()}.get(identity)
    names = chain([present] if present else [], [default, proposed], (f"{proposed}_{number}" for number in count(2)))
    target = next(name for name in names if sources.get(name, identity) == identity)
    if target != default:
        its_feed, schema, name = sources.get(default, identity)
        advice = (
            "The row names a target_table, because another table has the default name: names are lower-cased, and "
            "other characters than letters, digits and _ become _. Choose another name before the first build."
        )
        if (its_feed, schema, name) != identity:
            table.warned.append(Warned("same name", advice, f"as {schema}.{name} of feed {its_feed}: {target}"))
    sources[target] = identity
    return "" if target == default else target


def _drop_impossible_columns(table: FoundTable, feed: Feed) -> bool:
    """Take away columns that a seed cannot name; returns whether all columns stay."""
    ours = {(feed.options.timestamp_column or "").lower()}
    if feed.connector == "dms" and feed.options.operation_column != "never":
        ours.add("op")
    names: set[str] = set()
    good: list[FoundColumn] = []
    bad: list[str] = []
    for column in table.columns:
        low = column.name.lower()
        if low.startswith(RESERVED_PREFIX) or low in ours or low in names or _is_impossible(column.name):
            bad.append(column.name)
            continue
        names.add(low)
        good.append(column)
    table.columns = good
    kept = [column.name for column in good]
    if any(name not in kept or ";" in name for name in table.primary_key):
        bad += [name for name in table.primary_key if name in kept and ";" in name]
        table.primary_key = ()
        table.key_comparison = ()
    if bad:
        advice = (
            f"Proposed as inactive, without these columns: a name begins with {RESERVED_PREFIX}, is that of a column "
            "which capture adds, differs from another one only in case, or has spaces at its ends or a ; in the key. "
            "Let the source or DMS rename them, then add them and set active."
        )
        table.warned.append(Warned("column names", advice, ", ".join(map(repr, bad))))
    return not bad


def _is_impossible(name: str) -> bool:
    return not name or name != name.strip() or not name.isprintable()


def _add_rows(rows: Rows, table: FoundTable, feed: Feed, target: str, *, is_whole: bool) -> None:
    identity = {"feed": feed.feed, "source_schema": table.schema, "source_table": table.name}
    rows[TABLES_FILE].append(
        {
            **identity,
            "target_table": target,
            "primary_key": ";".join(table.primary_key),
            "delete_mode": "hard",
            "mode": "current" if table.primary_key else "append",
            "key_comparison": ";".join(table.key_comparison),
            "active": str(is_whole).lower(),
            "description": table.description,
        }
    )
    columns = table.columns + _missing_before_images(table, feed)
    last_obligatory = max((index for index, column in enumerate(columns) if not column.optional), default=-1)
    rows[COLUMNS_FILE].extend(
        {
            **identity,
            "position": str(index + 1),
            "column_name": column.name,
            "data_type": column.data_type,
            "encoding": column.encoding if feed.connector == "debezium" else "",
            "optional": str(index > last_obligatory).lower(),
            "description": column.description,
        }
        for index, column in enumerate(columns)
    )


def _missing_before_images(table: FoundTable, feed: Feed) -> list[FoundColumn]:
    """Columns with the key before a change, which a csv file without a header has after those of the source."""
    prefix = feed.options.before_image_prefix
    if feed.format != "csv" or feed.options.header or not prefix:
        return []
    present = {column.name.lower() for column in table.columns}
    types = {column.name: column.data_type for column in table.columns}
    names = [f"{prefix}{name}" for name in table.primary_key]
    return [
        FoundColumn(name, types[name[len(prefix) :]], "The key before the change")
        for name in names
        if name.lower() not in present
    ]
