"""Checks the cells of a table's row against each other, its columns and its feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from python_udfs.metadata.data_types import is_text
from python_udfs.metadata.files import COLUMNS_FILE, words
from python_udfs.metadata.names import file_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from python_udfs.metadata.feeds import Feed
    from python_udfs.metadata.files import Row
    from python_udfs.metadata.tables import Table


def check_table(row: Row, table: Table, feed: Feed | None, *, are_columns_known: bool) -> None:
    """Reports what does not fit together.

    Args:
        row: the row of the table, which gets the problems.
        table: the same, read.
        feed: its feed, None if there is no such feed.
        are_columns_known: whether the rows of its columns could be read; if not, nothing is asked of them.
    """
    _key_fits_mode(row, table)
    _renames_fit(row, table, feed)
    _truncates_are_in_order(row, table, feed)
    if feed and feed.format != "parquet" and are_columns_known and not table.columns:
        received = f"no columns of {table.source_schema}.{table.source_table}"
        fix = f"Add a row per column to {COLUMNS_FILE}: only parquet files carry names and types."
        row.problem("source_table", received, f"all columns of a {feed.format} table", fix)
    if table.columns:
        in_table = [column.name for column in table.columns]
        _known_columns(row, "primary_key", table.primary_key, in_table)
        _known_columns(row, "partition_by", [part.column for part in table.partition_by], in_table)
        _added_columns_are_placed(row, table, feed)


def _key_fits_mode(row: Row, table: Table) -> None:
    if table.mode == "append":
        if table.primary_key:
            fix = "Empty it, or choose mode current or history."
            row.problem("primary_key", repr(row["primary_key"]), "nothing with mode append", fix)
        if table.key_comparison:
            received, fix = repr(row["key_comparison"]), "Empty it: there is no key to compare."
            row.problem("key_comparison", received, "nothing with mode append", fix)
        if table.unchanged_rows == "skip":
            fix = "Empty it: without a key no row is compared with an earlier one."
            row.problem("unchanged_rows", "'skip'", "nothing or write with mode append", fix)
    elif not table.primary_key:
        fix = "Name the columns that identify a row; a table without a key needs mode append."
        row.problem("primary_key", "nothing", "columns separated by ;", fix)
    types = {column.name: column.data_type for column in table.columns}
    key_types = [types.get(name) for name in table.primary_key]
    if (
        table.key_comparison
        and key_types
        and all(key_types)
        and not any(is_text(str(data_type)) for data_type in key_types)
    ):
        received = f"{row['key_comparison']!r} for a key of {words(str(data_type) for data_type in key_types)}"
        row.problem("key_comparison", received, "nothing for a key without text columns", "Empty it.")


def _renames_fit(row: Row, table: Table, feed: Feed | None) -> None:
    used = {
        "a key column": table.primary_key,
        "a partition column": [part.column for part in table.partition_by],
        f"a column of {COLUMNS_FILE}": [column.name for column in table.columns],
        "the timestamp_column of the feed": [feed.options.timestamp_column or ""] if feed else [],
        "the change_sequence_column of the feed": [feed.options.change_sequence_column or ""] if feed else [],
    }
    for old, new in table.renamed_columns:
        for use, names in used.items():
            if old.lower() in (name.lower() for name in names):
                received = f"the old name {old!r}, which is {use}"
                fix = f"Write {new!r} there, or remove the pair."
                row.problem("renamed_columns", received, "old names that are in use nowhere else", fix)
    if table.columns:
        in_table = [column.name for column in table.columns]
        _known_columns(row, "renamed_columns", [new for _, new in table.renamed_columns], in_table)


def _truncates_are_in_order(row: Row, table: Table, feed: Feed | None) -> None:
    """A truncate is known by the time at which its files were missed; change sequences hold earlier times."""
    if feed and feed.options.change_sequence_column and table.vanished_files == "truncate":
        received = f"'truncate', though feed {feed.feed} has change_sequence_column"
        fix = "A truncate has no change sequence, and changes after it would count as older: choose one of these."
        row.problem("vanished_files", received, "nothing, report or ignore", fix)


def _added_columns_are_placed(row: Row, table: Table, feed: Feed | None) -> None:
    """A csv file without a header does not show where the columns are that DMS adds behind the table's own."""
    if feed is None or feed.format != "csv" or feed.options.header:
        return
    options = feed.options
    prefix, sequence = options.before_image_prefix, options.change_sequence_column
    images = [f"{prefix}{file_name(name)}" for name in table.primary_key] if prefix else []
    listed = [column.name.lower() for column in table.columns]
    for option, names, needed in (
        ("before_image_prefix", images, "the before image of every key column"),
        ("change_sequence_column", [sequence] if sequence else [], "that column"),
    ):
        missing = [name for name in names if name.lower() not in listed]
        if missing:
            received = f"no columns {words(missing)}, though feed {feed.feed} has {option} and no header"
            fix = f"Add them to {COLUMNS_FILE} after the table's own columns, where DMS writes them."
            row.problem("source_table", received, f"{needed}, at its position", fix)


def _known_columns(row: Row, column: str, names: Iterable[str], accepted: list[str]) -> None:
    for name in names:
        if name not in accepted:
            fix = f"Correct the name (upper and lower case count) or add the column to {COLUMNS_FILE}."
            row.problem(column, repr(name), f"columns of the table: {words(accepted)}", fix)
