"""The seeds without some feeds and tables; no other line changes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from python_udfs.codegen.gold_files import GoldFile
from python_udfs.errors import UsageError
from python_udfs.metadata import COLUMNS_FILE, EXPECTATIONS_FILE, FEEDS_FILE, TABLES_FILE, Metadata
from python_udfs.metadata.write import write_checked

Row = Mapping[str, str]


@dataclass(frozen=True)
class Retired:
    """Feeds and tables that go.

    Attributes:
        feeds: names of feeds that go whole.
        tables: feed, schema and name at the source of each table that goes, those of the feeds among them.
        targets: names of their silver tables, without the schema.
        relations: names of its tables, `bronze.…`, `silver.…` and `etl_metadata.split_…`.
    """

    feeds: frozenset[str]
    tables: frozenset[tuple[str, str, str]]
    targets: frozenset[str]
    relations: tuple[str, ...]

    @property
    def models(self) -> frozenset[str]:
        """Names of the models that make its tables."""
        return frozenset(relation.replace(".", "_", 1).removeprefix("etl_metadata_") for relation in self.relations)


def require_samples(readers: Iterable[GoldFile], models: Collection[str]) -> None:
    """Refuses to retire what a gold model of the user's reads: dbt could not read the project any more.

    Args:
        readers: gold models that read the retired models, or one another.
        models: names of the retired models.

    Raises:
        UsageError: names each file and what it reads.
    """
    readers = list(readers)
    gone = {*models, *(file.model for file in readers)}
    problems = [
        f"{file.path} reads {', '.join(sorted(file.reads & gone))}, which goes. Change the file, or remove it:"
        f" git rm {file.path}"
        for file in readers
        if not file.is_sample
    ]
    if problems:
        raise UsageError(problems)


def find_retired(metadata: Metadata, feeds: list[str], tables: list[str]) -> Retired:
    """Finds the feeds and tables by name.

    Args:
        metadata: checked metadata.
        feeds: names of feeds.
        tables: names of silver tables, with or without their schema.

    Raises:
        UsageError: nothing is named, or the seeds lack a name; all of them at once.
    """
    names = [name.removeprefix("silver.") for name in tables]
    known_tables = {table.target_table for table in metadata.tables}
    accepted = ", ".join(sorted(known_tables))
    known_feeds = [feed.feed for feed in metadata.feeds]
    problems = [
        f"FEED: found {name}; accepted: a feed of seeds/{FEEDS_FILE}, {', '.join(known_feeds) or 'which has none'}."
        for name in feeds
        if name not in known_feeds
    ]
    problems += [
        f"TABLES: found {name}; accepted: a silver table of seeds/{TABLES_FILE}, {accepted or 'which has none'}."
        for name in names
        if name not in known_tables
    ]
    if not feeds and not names:
        problems.append('Name what goes: make retire FEED="a b", or TABLES="schema__table".')
    if problems:
        raise UsageError(problems)
    chosen = [table for table in metadata.tables if table.feed in feeds or table.target_table in names]
    multi_table = [feed.feed for feed in metadata.feeds if feed.feed in feeds and feed.is_multi_table]
    splits = [f"etl_metadata.split_{name}" for name in multi_table]
    return Retired(
        frozenset(feeds),
        frozenset((table.feed, table.source_schema, table.source_table) for table in chosen),
        frozenset(table.target_table for table in chosen),
        tuple(f"{layer}.{table.target_table}" for table in chosen for layer in ("silver", "bronze")) + tuple(splits),
    )


def remove_rows(seeds: Path, retired: Retired) -> dict[str, int]:
    """Takes rows out of the seeds.

    Returns:
        How many rows went, by file.

    Raises:
        MetadataError: the seeds would not be valid without them; nothing is written.
    """
    goes: dict[str, Callable[[Row], bool]] = {
        FEEDS_FILE: lambda row: row["feed"] in retired.feeds,
        TABLES_FILE: lambda row: _table(row) in retired.tables,
        COLUMNS_FILE: lambda row: _table(row) in retired.tables or row["feed"] in retired.feeds,
        EXPECTATIONS_FILE: lambda row: row["target_table"] in retired.targets,
    }
    texts, removed = {}, {}
    for name, is_retired in goes.items():
        path = seeds / name
        if path.exists():
            header, *records = _records(path.read_bytes().decode("utf-8"))
            columns = next(csv.reader([header.removeprefix("\ufeff")]))
            kept = [record for record in records if not is_retired(_row(columns, record))]
            texts[name], removed[name] = "".join([header, *kept]), len(records) - len(kept)
    write_checked(seeds, texts)
    return removed


def _table(row: Row) -> tuple[str, str, str]:
    return row["feed"], row["source_schema"], row["source_table"]


def _row(columns: list[str], record: str) -> Row:
    cells = next(csv.reader(io.StringIO(record, newline="")), [])
    return dict(zip(columns, [*cells, *[""] * len(columns)], strict=False))


def _records(text: str) -> Iterator[str]:
    """The records of a CSV file as they are; a cell between quotes may hold the end of a line."""
    record = ""
    for line in text.splitlines(keepends=True):
        record += line
        if record.count('"') % 2 == 0:
            yield record
            record = ""
    if record:
        yield record
