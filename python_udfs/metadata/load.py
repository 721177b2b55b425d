"""The metadata as a whole, read from the seeds and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.errors import MetadataError
from python_udfs.metadata.columns import read_columns
from python_udfs.metadata.expectations import read_expectations
from python_udfs.metadata.feeds import read_feeds
from python_udfs.metadata.files import COLUMNS_FILE, EXPECTATIONS_FILE, FEEDS_FILE, TABLES_FILE, read_rows, shown, words
from python_udfs.metadata.project import PROJECT_FILE, read_project_readers
from python_udfs.metadata.tables import read_tables

if TYPE_CHECKING:
    from python_udfs.errors import Problem
    from python_udfs.metadata.expectations import Expectation
    from python_udfs.metadata.feeds import Feed
    from python_udfs.metadata.files import Row
    from python_udfs.metadata.tables import Table


@dataclass(frozen=True)
class Metadata:
    """The content of the seeds: feeds by name, tables by target table, expectations by table and line.

    ``readers`` is the variable `cdc_readers` of the project.
    """

    feeds: tuple[Feed, ...]
    tables: tuple[Table, ...]
    expectations: tuple[Expectation, ...] = ()
    readers: tuple[str, ...] = ()

    def feed(self, name: str) -> Feed:
        """The feed called ``name``; raises KeyError if there is none, which checked metadata rules out for tables."""
        return {feed.feed: feed for feed in self.feeds}[name]

    @property
    def active_tables(self) -> tuple[Table, ...]:
        """The tables that have models."""
        return tuple(table for table in self.tables if table.active)

    @property
    def inactive_tables(self) -> tuple[Table, ...]:
        """The tables that are known but have no models."""
        return tuple(table for table in self.tables if not table.active)


def load_metadata(seeds_dir: str | Path) -> Metadata:
    """Read and check ``cdc_feeds.csv``, ``cdc_tables.csv``, ``cdc_columns.csv`` and ``cdc_expectations.csv``.

    Args:
        seeds_dir: folder that holds the four files; the one above it may have dbt_project.yml, with `cdc_readers`.

    Returns:
        The checked metadata; the order of the CSV rows plays no part in it.

    Raises:
        MetadataError: with every problem of the files.
    """
    problems: list[Problem] = []
    feed_rows, table_rows, column_rows, expectation_rows = (
        read_rows(Path(seeds_dir), file, problems)
        for file in (FEEDS_FILE, TABLES_FILE, COLUMNS_FILE, EXPECTATIONS_FILE)
    )
    readers = read_project_readers(Path(seeds_dir).parent / PROJECT_FILE, problems)
    feeds = read_feeds(feed_rows or [])
    # A file that could not be read is one problem; rows of the others that lean on it are not blamed for it.
    if feed_rows is not None:
        for row in (table_rows or []) + (column_rows or []):
            _check_feed(row, {row["feed"] for row in feed_rows})
    columns = read_columns(column_rows or [], table_rows, feeds)
    tables = read_tables(table_rows or [], feeds, columns if column_rows is not None else None, readers)
    expectations = read_expectations(expectation_rows or [], None if table_rows is None else tables)
    if problems:
        raise MetadataError(problems)
    return Metadata(
        feeds=tuple(sorted(feeds.values(), key=lambda feed: feed.feed)),
        tables=tuple(sorted(tables, key=lambda table: table.target_table)),
        expectations=tuple(sorted(expectations, key=lambda expectation: (expectation.target_table, expectation.line))),
        readers=readers,
    )


def _check_feed(row: Row, feeds: set[str]) -> None:
    if not row.broken and row["feed"] not in feeds:
        accepted = f"a feed of {FEEDS_FILE}: {words(sorted(feeds))}"
        row.problem("feed", shown(row["feed"]), accepted, "Correct the name or add the feed.")
