"""Programs that read the tables: what each one reads wrong or not at all, and what that decides for a silver table.

`LIMITS` is the one home of these facts; docs/cluster/readers.md prints it (tests/unit/test_reader_limits.py compares).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from python_udfs.metadata.files import TABLES_FILE, WORDS, items, shown, words

if TYPE_CHECKING:
    from python_udfs.metadata.files import Row
    from python_udfs.metadata.tables import Table

READERS = (
    "athena",
    "bigquery",
    "clickhouse",
    "daft",
    "databricks",
    "datafusion",
    "duckdb",
    "flink",
    "polars",
    "pyiceberg",
    "redshift",
    "snowflake",
    "spark",
    "trino",
)
MERGE_ON_READ, COPY_ON_WRITE = WORDS[TABLES_FILE]["write_mode"]
FORMAT_VERSION = "format-version"
DEFAULT_FORMAT = "2"
# Types that Iceberg widens in place; `decimal` and what it holds begins the name of its type.
_WIDENED_TYPES = ("tinyint", "smallint", "int", "float", "decimal")


@dataclass(frozen=True)
class Feature:
    """A property that a silver table may have, and not every program reads.

    Attributes:
        words: the property, for people.
        cell: of ``cdc_tables.csv`` that it comes from.
        accepted: what the cell may hold instead.
        fix: what to do.
    """

    words: str
    cell: str
    accepted: str
    fix: str


_STATE_THE_TYPE = "or state its type in cdc_columns.csv if it is another one"
_USE_COPY_ON_WRITE = "Empty the cell: then copy-on-write is chosen."
POSITION_DELETES = Feature(
    "position deletes (merge-on-read in format 2)", "write_mode", COPY_ON_WRITE, _USE_COPY_ON_WRITE
)
DELETION_VECTORS = Feature(
    "deletion vectors (merge-on-read in format 3)", "write_mode", COPY_ON_WRITE, _USE_COPY_ON_WRITE
)
WIDENED_PARTITION = Feature(
    "merge-on-read, and a partition column whose type may be widened",
    "write_mode",
    COPY_ON_WRITE,
    _USE_COPY_ON_WRITE,
)
NEWER_FORMAT = Feature("format 3", "table_properties", "format-version=2, the default", "Remove format-version.")
NON_ASCII_PARTITION = Feature(
    "a partition column with letters or digits beyond ASCII",
    "partition_by",
    "columns with ASCII letters and digits",
    "Partition by another column.",
)
_LATER_IS_RIGHT = "Values from 1970 on are read right."
DAY_PARTITION = Feature(
    "days() or months() of a timestamp",
    "partition_by",
    "years(column) or hours(column)",
    f"Write one of these, {_STATE_THE_TYPE}. {_LATER_IS_RIGHT}",
)
TIME_PARTITION = Feature(
    "years(), months(), days() or hours()", "partition_by", "other partitions", f"Write others. {_LATER_IS_RIGHT}"
)
DECIMAL_PARTITION = Feature(
    "truncate() of a decimal", "partition_by", "bucket(n, column)", f"Write this, {_STATE_THE_TYPE}."
)


@dataclass(frozen=True)
class Limit:
    """A feature that a program reads wrong or not at all.

    Attributes:
        reader: one of `READERS`.
        feature: of a silver table.
        effect: of the feature on the program, as a predicate.
        source: the versions that were tried, or who says so.
    """

    reader: str
    feature: Feature
    effect: str
    source: str


LIMITS = (
    Limit(
        "databricks",
        POSITION_DELETES,
        "does not apply them: deleted rows and old versions come back",
        "OLake on Databricks' documentation (datazip-inc/olake-docs, pull request 518)",
    ),
    Limit(
        "daft",
        POSITION_DELETES,
        "may count rows without them (`count_rows()`)",
        "seen: Daft 0.7.26 counted 242 rows for 123 in one table of many",
    ),
    Limit(
        "trino",
        DELETION_VECTORS,
        "refuses the table",
        "tried: Trino 476; merged into a later one (trinodb/trino, pull request 27788)",
    ),
    Limit("clickhouse", DELETION_VECTORS, "refuses the table", "tried: chDB 4.4.0 (ClickHouse 26.9)"),
    Limit("daft", DELETION_VECTORS, "refuses the table", "tried: Daft 0.7.26"),
    Limit(
        "athena",
        NEWER_FORMAT,
        "reads format 2 only",
        "AWS (docs.aws.amazon.com/prescriptive-guidance/latest/apache-iceberg-on-aws/table-spec-v3.html)",
    ),
    Limit(
        "bigquery",
        NEWER_FORMAT,
        "is documented for format 2 only",
        "Google (docs.cloud.google.com/bigquery/docs/iceberg-external-tables)",
    ),
    Limit(
        "datafusion",
        WIDENED_PARTITION,
        "may bring back rows that were deleted before the type was widened",
        "seen: DataFusion 54.1 with pyiceberg-core 0.11 had 137 rows for 123",
    ),
    Limit("datafusion", NON_ASCII_PARTITION, "refuses the table", "tried: DataFusion 54.1 with pyiceberg-core 0.11"),
    Limit("duckdb", NON_ASCII_PARTITION, "aborts with its whole process", "tried: DuckDB 1.5.5"),
    Limit("duckdb", DAY_PARTITION, "misses rows before 1970 if a filter compares the column", "tried: DuckDB 1.5.5"),
    Limit("duckdb", DECIMAL_PARTITION, "fails if a filter compares the column", "tried: DuckDB 1.5.5"),
    Limit(
        "clickhouse",
        TIME_PARTITION,
        "misses rows before 1970 if a filter compares the column",
        "tried: chDB 4.4.0 (ClickHouse 26.9)",
    ),
)


def read_readers(row: Row, of_project: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the programs that read a table: those of its row, else those of the project.

    Args:
        row: of ``cdc_tables.csv``.
        of_project: the variable `cdc_readers`.
    """
    readers = items(row["readers"])
    for name in dict.fromkeys(readers):
        if name not in READERS:
            accepted = f"nothing (cdc_readers of dbt_project.yml), or names separated by ;: {words(READERS)}"
            row.problem("readers", repr(name), accepted, "Write one of these names, or remove it.")
        if readers.count(name) > 1:
            row.problem("readers", f"{name!r} twice", "each name once", "Remove one of the two.")
    return tuple(readers) or of_project


def choose_write_mode(row: Row, table: Table) -> Table:
    """Returns the table with a write mode that its readers read, if its row leaves it open.

    Args:
        row: of the table.
        table: as the row has it; an empty cell is merge-on-read.
    """
    limits = tuple(limit for _, limit in find_limits(table) if limit.feature.cell == "write_mode")
    return table if row["write_mode"] or not limits else replace(table, write_mode=COPY_ON_WRITE, avoided=limits)


def check_readers(row: Row, table: Table) -> None:
    """Reports the cells that make a table which one of its readers reads wrong or not at all.

    Args:
        row: of the table, which gets the problems.
        table: the same, read.
    """
    by_feature: dict[tuple[Feature, str], list[Limit]] = {}
    for part, limit in find_limits(table):
        by_feature.setdefault((limit.feature, part), []).append(limit)
    for (feature, part), limits in by_feature.items():
        reasons = "; ".join(f"{limit.reader} {limit.effect} ({limit.source})" for limit in limits)
        received = f"{shown(part or row[feature.cell])}, which means {feature.words}: {reasons}"
        fix = f"{feature.fix} Or take {words(limit.reader for limit in limits)} out of the readers."
        row.problem(feature.cell, received, feature.accepted, fix)


def find_limits(table: Table) -> Iterator[tuple[str, Limit]]:
    """Yields the limits of its readers that a table meets, each with the item of the cell, if it has several."""
    for part, feature in _find_features(table):
        yield from ((part, limit) for limit in LIMITS if limit.feature == feature and limit.reader in table.readers)


def _find_features(table: Table) -> Iterator[tuple[str, Feature]]:
    """Yields the features of a table. A type that the seeds leave open may be any."""
    types = {column.name: column.data_type or "" for column in table.columns}
    is_newer = dict(table.table_properties).get(FORMAT_VERSION, DEFAULT_FORMAT) != DEFAULT_FORMAT
    if is_newer:
        yield f"{FORMAT_VERSION}={dict(table.table_properties)[FORMAT_VERSION]}", NEWER_FORMAT
    if table.write_mode == MERGE_ON_READ:
        yield "", DELETION_VECTORS if is_newer else POSITION_DELETES
        identities = [types.get(part.column, "") for part in table.partition_by if part.transform == "identity"]
        if any(not data_type or data_type.startswith(_WIDENED_TYPES) for data_type in identities):
            yield "", WIDENED_PARTITION
    for part in table.partition_by:
        data_type = types.get(part.column, "")
        # Iceberg writes other characters of such a name as their numbers.
        if any(not character.isascii() and character.isalnum() for character in part.column):
            yield part.sql, NON_ASCII_PARTITION
        if part.transform in ("days", "months") and data_type != "date":
            yield part.sql, DAY_PARTITION
        if part.transform in ("years", "months", "days", "hours"):
            yield part.sql, TIME_PARTITION
        if part.transform == "truncate" and (not data_type or data_type.startswith("decimal")):
            yield part.sql, DECIMAL_PARTITION
