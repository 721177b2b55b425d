"""Compares the tables of a source with the seeds: types, columns that came or went, the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from python_udfs.discover.found import Warned
from python_udfs.drift.changes import NEW_COLUMN_REMEDY, TYPE_REMEDY, may_be_renamed
from python_udfs.metadata.data_types import table_type
from spark_files.widening import is_promotion

if TYPE_CHECKING:
    from python_udfs.discover.found import Found, FoundTable
    from python_udfs.metadata import Metadata
    from python_udfs.metadata.columns import Column
    from python_udfs.metadata.tables import Table

CHANGED_TYPE = (
    "The source has another type than the seeds. A type that widens follows by itself: write it into data_type all"
    f" the same. {TYPE_REMEDY}"
)
GONE = (
    "Columns of the seeds that the source does not have any more. Silver keeps them, and new rows have NULL. Records"
    " of csv without a header are shorter from then on: delete the row and number the others again."
)
RENAMED = (
    "One column is new and another is gone. If it was renamed, write the pair into renamed_columns before files with"
    " the new name are read; if not, leave it."
)
NEW = f"Columns that the seeds do not list. APPEND=1 adds them behind the others. {NEW_COLUMN_REMEDY}"
COUNT = (
    "Records have another number of fields than the seeds have columns, and no names: compare the columns with the"
    " source (docs/runbook/tables.md#tables-come-and-go)."
)
OTHER_KEY = "The source has another key than the seeds: correct primary_key, make models, and rebuild silver."


def warn_of_changes(source: Found, feed: str, present: Metadata, proposed: Metadata) -> None:
    """Adds warnings to the tables that the seeds have otherwise; without columns in the seeds a table is as its files.

    Args:
        source: the tables of the source.
        feed: the feed that they belong to.
        present: the seeds.
        proposed: the rows that are proposed of what was found.
    """
    listed = {(table.source_schema, table.source_table): table for table in present.tables if table.feed == feed}
    new = {(table.source_schema, table.source_table): table for table in proposed.tables if table.feed == feed}
    for table in source.tables:
        identity = (table.schema, table.name)
        if identity not in listed or identity not in new or not listed[identity].columns:
            continue
        if source.is_named:
            options = present.feed(feed).options
            added = {column.name for column in listed[identity].columns if options.is_added(column.name)}
            table.warned += _changes(table, listed[identity], new[identity], added, has_types=source.has_types)
        elif len(new[identity].columns) != len(listed[identity].columns):
            counts = f"{len(new[identity].columns)} fields, the seeds have {len(listed[identity].columns)}"
            table.warned.append(Warned("other columns", COUNT, counts))


def _changes(table: FoundTable, listed: Table, new: Table, added: set[str], *, has_types: bool) -> list[Warned]:
    old_types = {column.name.lower(): _type(column) for column in listed.columns if column.name not in added}
    new_types = {column.name.lower(): _type(column) for column in new.columns}
    new_types = {name: kind for name, kind in new_types.items() if name not in table.only_older}
    names = {column.name.lower(): column.name for column in (*new.columns, *listed.columns)}
    came = [name for name in new_types if name not in old_types]
    gone = [name for name in old_types if name not in new_types]
    changed = [
        f"{names[name]} is {kind}, the seeds have {old_types[name]}{_widens(old_types[name], kind)}"
        for name, kind in new_types.items()
        if has_types and kind and old_types.get(name, kind) not in ("", kind)
    ]
    renamed = [
        f"{names[old]}={names[name]}"
        for old in gone
        for name in came
        if may_be_renamed(old_types[old], [new_types[name]], are_typed=has_types)
    ]
    old_key, new_key = list(listed.primary_key), list(new.primary_key)
    key = f"{';'.join(new_key)}, the seeds have {';'.join(old_key) or 'none'}" if new_key and new_key != old_key else ""
    details = (
        ("type changed", CHANGED_TYPE, "; ".join(changed)),
        ("renamed?", RENAMED, ", ".join(renamed)),
        ("column gone", GONE, ", ".join(names[name] for name in gone)),
        ("new column", NEW, ", ".join(f"{names[name]} {new_types[name]}".strip() for name in came)),
        ("other key", OTHER_KEY, key),
    )
    return [Warned(label, advice, detail) for label, advice, detail in details if detail]


def _type(column: Column) -> str:
    return table_type(column.data_type) if column.data_type else ""


def _widens(before: str, after: str) -> str:
    return " (widens)" if is_promotion(before, after) else ""
