"""Metadata for dbt's Python models, so that their files do not hold it.

Each of these files names a digest of what its model reads. The models of one run follow from the same seeds, also while
somebody edits them: a run that began before the edit stops here instead of mixing the two.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from python_udfs.errors import LakehouseError
from python_udfs.metadata.load import load_metadata
from python_udfs.metadata.names import file_name, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from python_udfs.metadata.load import Metadata
    from python_udfs.metadata.options import FeedOptions
    from python_udfs.metadata.tables import Table


@dataclass(frozen=True)
class Readers:
    """The tables that show which file versions were read.

    Attributes:
        bronze: name of the bronze table, by feed, schema and table.
        splits: name of the split table, by feed.
        rejected: name of the table of rejected files.
    """

    bronze: Mapping[tuple[str, str, str], str]
    splits: Mapping[str, str]
    rejected: str


def listed_feeds(metadata: Metadata) -> list[dict[str, Any]]:
    """Returns the settings of each feed for `raw_listing`.

    Args:
        metadata: checked metadata.

    Returns:
        A dictionary per feed with files: `feed`, `connector`, `format`, `location`, `is_multi_table` (whether it reads
        multi-table files) and `vanished_files`, the cell by source schema and table, without those of `report`; of one
        that is not listed in full in each run also `full_listing_hours` and `listing_overlap_hours`; of one with the
        option also `file_names`.
    """
    return [
        {
            "feed": feed.feed,
            "connector": feed.connector,
            "format": feed.format,
            "location": feed.location,
            "is_multi_table": feed.is_multi_table,
            **_listing_hours(feed.options),
            **({"file_names": feed.options.file_names} if feed.options.file_names else {}),
            "vanished_files": {
                (table.source_schema, table.source_table): table.vanished_files
                for table in metadata.active_tables
                if table.feed == feed.feed and table.vanished_files != "report"
            },
        }
        for feed in metadata.feeds
        if not feed.is_kafka
    ]


def _listing_hours(options: FeedOptions) -> dict[str, int]:
    if options.full_listing_hours is None:
        return {}
    return {
        "full_listing_hours": options.full_listing_hours,
        "listing_overlap_hours": options.listing_overlap_hours,
    }


def split_feed(metadata: Metadata, name: str) -> dict[str, Any]:
    """Returns the settings of a feed for its split model.

    Args:
        metadata: checked metadata.
        name: the feed.

    Returns:
        `feed` and `connector`. For csv also `delimiter` and `charset`; for messages their options, `columns`: type by
        the source's name of the column, old ones included, by source schema and table, and `keys`: these names of the
        columns of the key, in the same way; for Debezium's `encodings`, likewise. For a broker also `kafka`
        (python_udfs.metadata.kafka), in which secrets are names of environment variables.
    """
    feed = metadata.feed(name)
    settings: dict[str, Any] = {"feed": feed.feed, "connector": feed.connector}
    if feed.format == "csv":
        return {**settings, "delimiter": feed.options.delimiter, "charset": feed.options.charset}
    tables = [table for table in metadata.active_tables if table.feed == name]
    return {
        **settings,
        "absent_columns": feed.options.absent_columns,
        **dict(feed.options.of_messages),
        **({"kafka": feed.options.kafka} if feed.options.kafka else {}),
        "columns": {
            (table.source_schema, table.source_table): {
                name: column.data_type for column in table.columns for name in _names_in_messages(table, column.name)
            }
            for table in tables
        },
        "keys": {(table.source_schema, table.source_table): _names_of_key(table) for table in tables},
        **({"encodings": _encodings(tables)} if feed.connector == "debezium" else {}),
    }


def _encodings(tables: Iterable[Table]) -> dict[tuple[str, str], dict[str, str]]:
    """The filled cells `encoding` of the tables that have one."""
    by_table = {
        (table.source_schema, table.source_table): {
            name: column.encoding
            for column in table.columns
            if column.encoding
            for name in _names_in_messages(table, column.name)
        }
        for table in tables
    }
    return {table: encodings for table, encodings in by_table.items() if encodings}


def _names_of_key(table: Table) -> list[str]:
    return [name.lower() for column in table.primary_key for name in _names_in_messages(table, column)]


def _names_in_messages(table: Table, column: str) -> list[str]:
    """The source's names of a column: its own, and those that it had before a rename."""
    old_names = [old for old, new in table.renamed_columns if new.lower() == column.lower()]
    return [file_name(name) for name in (column, *old_names)]


def digest(settings: object) -> str:
    """A text that is another one for other metadata.

    Args:
        settings: what `listed_feeds` or `split_feed` returned.

    Returns:
        SHA-256, 64 hexadecimal digits.
    """
    return hashlib.sha256(repr(settings).encode("utf-8")).hexdigest()


def read_listed_feeds(model_file: str, expected: str) -> list[dict[str, Any]]:
    """`listed_feeds` of the project that a model belongs to.

    Args:
        model_file: `__file__` of the model, which lies in `models/etl_metadata` of the project.
        expected: the digest that the model was generated with.

    Raises:
        LakehouseError: the seeds are others than those that the model was generated from, or have mistakes.
    """
    feeds = listed_feeds(_metadata(model_file))
    _check(model_file, feeds, expected)
    return feeds


def read_readers(model_file: str, schema: str) -> Readers:
    """The tables of the project that show which files were read, those of tables that are switched off included.

    Args:
        model_file: as in `read_listed_feeds`.
        schema: the schema of `raw_listing`.
    """
    metadata = _metadata(model_file)
    return Readers(
        {
            (table.feed, table.source_schema, table.source_table): f"bronze.{quoted(table.target_table)}"
            for table in metadata.tables
        },
        {feed.feed: f"{schema}.`split_{feed.feed}`" for feed in metadata.feeds if feed.is_multi_table},
        f"{schema}.rejected_files",
    )


def read_split_feed(model_file: str, name: str, expected: str) -> dict[str, Any]:
    """`split_feed` of the project that a model belongs to.

    Args:
        model_file: `__file__` of the model, which lies in `models/etl_metadata` of the project.
        name: the feed.
        expected: the digest that the model was generated with.

    Raises:
        LakehouseError: the seeds are others than those that the model was generated from, or have mistakes.
    """
    metadata = _metadata(model_file)
    feed = split_feed(metadata, name) if name in (feed.feed for feed in metadata.feeds) else {}
    _check(model_file, feed, expected)
    return feed


def _metadata(model_file: str) -> Metadata:
    return load_metadata(Path(model_file).parents[2] / "seeds")


def _check(model_file: str, settings: object, expected: str) -> None:
    if digest(settings) != expected:
        raise LakehouseError(
            f"CDC error ({Path(model_file).stem}): seeds changed while the run was going on. Found other rows in"
            " seeds/cdc_*.csv than those that the model was generated from. The model has written nothing."
            " Run make models, then run dbt again."
        )
