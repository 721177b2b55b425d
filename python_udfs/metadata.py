"""The metadata of the project: feeds, tables and columns, read from the seeds and checked as a whole.

No Spark and no dbt is needed. The headers and words accepted here are documented in ``seeds/_seeds.yml``.
"""

from __future__ import annotations

import csv
import io
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from python_udfs.errors import MetadataError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FEEDS_FILE = "cdc_feeds.csv"
TABLES_FILE = "cdc_tables.csv"
COLUMNS_FILE = "cdc_columns.csv"
HEADERS = {
    FEEDS_FILE: ("feed", "contract", "format", "location", "options", "description"),
    TABLES_FILE: (
        "feed",
        "source_schema",
        "source_table",
        "target_table",
        "primary_key",
        "delete_mode",
        "mode",
        "key_comparison",
        "unchanged_rows",
        "schema_drift",
        "renamed_columns",
        "vanished_files",
        "partition_by",
        "write_mode",
        "table_properties",
        "active",
        "owner",
        "description",
    ),
    COLUMNS_FILE: (
        "feed",
        "source_schema",
        "source_table",
        "position",
        "column_name",
        "data_type",
        "optional",
        "description",
    ),
}

# Contract to formats of its files.
CONTRACTS = {
    "dms": ("parquet", "csv"),
    **dict.fromkeys(("dms_kafka", "debezium", "maxwell", "canal"), ("json",)),
}
FORMATS = ("parquet", "csv", "json")
DELETE_MODES = ("hard", "soft")
MODES = ("current", "history", "append")
KEY_COMPARISONS = ("ignore_case", "ignore_trailing_spaces")
UNCHANGED_ROWS = ("write", "skip")
UNCHANGED_ROWS_OF_MODE = {"current": "write", "history": "skip", "append": "write"}
# The first word of these is what an empty cell means.
SCHEMA_DRIFTS = ("evolve", "freeze", "quarantine")
VANISHED_FILES = ("report", "ignore", "truncate")
WRITE_MODES = ("merge-on-read", "copy-on-write")
OPERATION_COLUMN_WORDS = ("auto", "always", "never")
ABSENT_COLUMNS_WORDS = ("null", "keep")
BOOLEANS = ("true", "false")
RESERVED_PREFIX = "_cdc_"
# Names of Iceberg's metadata columns, which no table can have as its own.
RESERVED_NAMES = (
    "_deleted",
    "_file",
    "_pos",
    "_partition",
    "_spec_id",
    "_row_id",
    "_last_updated_sequence_number",
    "_change_type",
    "_change_ordinal",
    "_commit_snapshot_id",
)
OTHER_NAME_PREFIX = "source_"

COMMON_OPTIONS = (
    "timestamp_column",
    "operation_column",
    "change_sequence_column",
    "before_image_prefix",
    "absent_columns",
)
CSV_OPTIONS = ("delimiter", "header", "null_values", "unavailable_value", "transaction_files")
# Options of contracts whose files hold messages: default, and the accepted words, or none for any text.
MESSAGE_OPTIONS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "debezium": {
        "form": ("envelope", ("envelope", "flattened")),
        "decimals": ("base64", ("base64", "text")),
        "binary": ("base64", ("base64", "base64url", "hex")),
        "unavailable_value": ("__debezium_unavailable_value", ()),
        "binlog_names": ("", ()),
    },
    "dms_kafka": {"before_image_field": ("before-image", ()), "before_image_prefix": ("", ())},
    "maxwell": {},
    "canal": {"time_zone": ("UTC", ())},
}
# What stands beside the before image in a message of dms_kafka, and what its reader adds.
MESSAGE_FIELDS = ("", "data", "metadata", "control", "_malformed")
# Characters that the syntax of the options cell itself uses, or that a spreadsheet loses, have a word.
DELIMITER_WORDS = {"tab": "\t", "semicolon": ";"}
DEFAULT_NULL_VALUES = ("NULL", "")

MAX_PRECISION = 38  # Spark's limit

# These three follow from write_mode, so that a row cannot say two different things.
WRITE_MODE_PROPERTIES = ("write.merge.mode", "write.update.mode", "write.delete.mode")

SIMPLE_TYPES = {
    "boolean": "boolean",
    "tinyint": "tinyint",
    "byte": "tinyint",
    "smallint": "smallint",
    "short": "smallint",
    "int": "int",
    "integer": "int",
    "bigint": "bigint",
    "long": "bigint",
    "float": "float",
    "real": "float",
    "double": "double",
    "string": "string",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "binary": "binary",
}
ACCEPTED_TYPES = (
    "boolean, tinyint, smallint, int, bigint, float, double, decimal(p,s), string, varchar(n), char(n), date, "
    "timestamp, timestamp_ntz, binary"
)
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")
_TEXT = re.compile(r"(varchar|char)\(\s*([1-9]\d*)\s*\)")

_COLUMN = r"(?P<{0}>`(?:[^`]|``)+`|[^`(),]+?)"
_PARTITION = re.compile(
    rf"{_COLUMN.format('plain')}"
    rf"|(?P<time>years|months|days|hours)\(\s*{_COLUMN.format('of')}\s*\)"
    rf"|(?P<split>bucket|truncate)\(\s*(?P<number>[1-9]\d*)\s*,\s*{_COLUMN.format('by')}\s*\)"
)
ACCEPTED_PARTITIONS = "a column, years|months|days|hours(column), bucket(n, column), truncate(n, column)"

# Words that Spark reserves under spark.sql.ansi.enforceReservedKeywords (its function sql_keywords() lists them).
RESERVED_WORDS = frozenset(
    """all and any as authorization both call case cast check collate collation column constraint create cross
    current_date current_time current_timestamp current_user distinct else end escape except execute false fetch
    filter for foreign from full grant group having in inner intersect into is join lateral leading left natural
    not null offset on only or order outer overlaps primary recursive references right select session_user some
    sql table then time to trailing union unique unknown user using when where with within""".split()  # noqa: SIM905 - ninety quoted words would be harder to read
)


@dataclass(frozen=True)
class FeedOptions:
    """How the files of a feed are to be read (docs/contracts.md §1.1, §1.3, §1.5, §1.7, §1.8).

    ``delimiter``, ``header``, ``null_values``, ``unavailable_value`` and ``transaction_files`` (§1.4) are for csv.
    ``of_messages`` are the options of a contract whose files hold messages, filled in.
    """

    timestamp_column: str | None = None
    operation_column: str = "auto"
    change_sequence_column: str | None = None
    before_image_prefix: str | None = None
    absent_columns: str = "null"
    delimiter: str = ","
    header: bool = False
    null_values: tuple[str, ...] = DEFAULT_NULL_VALUES
    unavailable_value: str | None = None
    transaction_files: bool = False
    of_messages: tuple[tuple[str, str], ...] = ()

    def is_added(self, name: str) -> bool:
        """Whether a column is none of the source's table: DMS added it behind those (docs/contracts.md §1.3)."""
        return self.is_before_image(name) or name.lower() == (self.change_sequence_column or "").lower()

    def is_before_image(self, name: str) -> bool:
        """Whether a column holds the value that another one had before the change."""
        return bool(self.before_image_prefix) and name.startswith(str(self.before_image_prefix))


@dataclass(frozen=True)
class Feed:
    """One row of ``cdc_feeds.csv``. ``location`` has no trailing slash; a URI holds ``://``."""

    feed: str
    contract: str
    format: str
    location: str
    options: FeedOptions
    description: str

    @property
    def is_mixed(self) -> bool:
        """Whether one file holds changes of many tables (docs/contracts.md §1.4, §2 to §5)."""
        return self.contract != "dms" or self.options.transaction_files


@dataclass(frozen=True)
class Column:
    """One row of ``cdc_columns.csv``. ``data_type`` is a Spark SQL type in one spelling, None where not given."""

    name: str
    position: int
    data_type: str | None
    optional: bool
    description: str


@dataclass(frozen=True)
class PartitionField:
    """One Iceberg partition field: ``transform`` is ``identity`` or the transform's name, ``number`` its argument."""

    column: str
    transform: str = "identity"
    number: int | None = None

    @property
    def sql(self) -> str:
        """The field as Spark SQL, the column quoted where it has to be: ``bucket(16, `order`)``."""
        column = quote_if_needed(self.column)
        if self.transform == "identity":
            return column
        return f"{self.transform}({column})" if self.number is None else f"{self.transform}({self.number}, {column})"


@dataclass(frozen=True)
class Table:
    """One row of ``cdc_tables.csv`` with its rows of ``cdc_columns.csv`` in the order of their positions.

    Empty cells are filled in: ``target_table`` is the name of the table in each layer's schema, for example
    ``sampledb__product``, and ``unchanged_rows``, ``schema_drift`` and ``vanished_files`` always hold a word.
    ``renamed_columns`` are pairs of the old and the new name.
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
    active: bool
    owner: str
    description: str
    columns: tuple[Column, ...]

    def model(self, layer: str) -> str:
        """Name of the table's dbt model in ``layer``, for example ``silver_sampledb__product``."""
        return f"{layer}_{self.target_table}"


@dataclass(frozen=True)
class Metadata:
    """Everything the seeds say: feeds by name, tables by target table, each in order."""

    feeds: tuple[Feed, ...]
    tables: tuple[Table, ...]

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


def clean_name(name: str) -> str:
    """Lower-case ``name`` and put ``_`` for every character that is not a letter, a digit or ``_``."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def default_target(schema: str, table: str) -> str:
    """Name that a source table has inside a layer if its row names none: ``<schema>__<table>``, cleaned."""
    return f"{clean_name(schema)}__{clean_name(table)}"


def proposed_target(feed: str, schema: str, table: str) -> str:
    """Name for a source table whose default is another table's: ``<feed>_<schema>__<table>``, cleaned."""
    return f"{feed}_{default_target(schema, table)}"


def table_name(name: str) -> str:
    """Name that a column of the source has in bronze and silver (macros/shared/cdc_table_name.sql has the same rule).

    A reserved name gets ``source_`` in front. So does a name that could be such a name: no two columns get one name.
    """
    bare = name.lower()
    while bare.startswith(OTHER_NAME_PREFIX):
        bare = bare.removeprefix(OTHER_NAME_PREFIX)
    is_reserved = bare in RESERVED_NAMES or bare.startswith(RESERVED_PREFIX)
    return f"{OTHER_NAME_PREFIX}{name}" if is_reserved else name


def file_name(name: str) -> str:
    """Name that the source has for a column of bronze: `table_name` the other way round."""
    bare = name[len(OTHER_NAME_PREFIX) :]
    return bare if name.lower().startswith(OTHER_NAME_PREFIX) and table_name(bare) == name else name


def needs_quotes(name: str) -> bool:
    """Whether Spark SQL reads ``name`` as a column only between backquotes."""
    return not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name.lower() in RESERVED_WORDS


def quote_if_needed(name: str) -> str:
    """``name`` as a Spark SQL identifier, between backquotes where it has to be."""
    return "`" + name.replace("`", "``") + "`" if needs_quotes(name) else name


def load_metadata(seeds_dir: str | Path) -> Metadata:
    """Read and check ``cdc_feeds.csv``, ``cdc_tables.csv`` and ``cdc_columns.csv``.

    Args:
        seeds_dir: folder that holds the three files.

    Returns:
        The checked metadata; the order of the CSV rows plays no part in it.

    Raises:
        MetadataError: with every problem of the three files.
    """
    return _Loader(Path(seeds_dir)).load()


_TableId = tuple[str, str, str]


@dataclass(frozen=True)
class _Row:
    file: str
    line: int
    values: dict[str, str]
    broken: bool  # wrong number of fields: only good for knowing that its feed or table exists

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    @property
    def table_id(self) -> _TableId:
        return self["feed"], self["source_schema"], self["source_table"]


@dataclass
class _Loader:
    seeds_dir: Path
    problems: list[Problem] = field(default_factory=list)

    def load(self) -> Metadata:
        feed_rows = self._read(FEEDS_FILE)
        table_rows = self._read(TABLES_FILE)
        column_rows = self._read(COLUMNS_FILE)
        feeds = self._feeds(feed_rows or [])
        # A file that could not be read is one problem; rows of the others that lean on it are not blamed for it.
        if feed_rows is not None:
            for row in (table_rows or []) + (column_rows or []):
                self._known_feed(row, {row["feed"] for row in feed_rows})
        columns = self._columns(column_rows or [], table_rows, feeds)
        tables = self._tables(table_rows or [], feeds, columns if column_rows is not None else None)
        if self.problems:
            raise MetadataError(self.problems)
        return Metadata(
            feeds=tuple(sorted(feeds.values(), key=lambda feed: feed.feed)),
            tables=tuple(sorted(tables, key=lambda table: table.target_table)),
        )

    # Problems ------------------------------------------------------------------------------------------------------

    def _problem(self, row: _Row, column: str, found: str, accepted: str, fix: str) -> None:
        self.problems.append(Problem(self._path(row.file), row.line, column, found, accepted, fix))

    def _file_problem(self, file: str, line: int, found: str, accepted: str, fix: str) -> None:
        self.problems.append(Problem(self._path(file), line, "", found, accepted, fix))

    def _path(self, file: str) -> str:
        return f"{self.seeds_dir.name}/{file}"

    # Files ---------------------------------------------------------------------------------------------------------

    def _read(self, file: str) -> list[_Row] | None:
        """The rows of one file, or None if it cannot be read or its header is wrong."""
        header = HEADERS[file]
        try:
            # utf-8-sig drops the byte order mark that spreadsheets put in front.
            text = (self.seeds_dir / file).read_bytes().decode("utf-8-sig")
        except OSError as error:
            fix = f"Create it with the header line {','.join(header)}"
            self._file_problem(file, 0, f"no readable file ({error.strerror})", "a CSV file", fix)
            return None
        except UnicodeDecodeError as error:
            found = f"a byte that is not UTF-8 at offset {error.start}"
            self._file_problem(file, 0, found, "text in UTF-8", "Save the file as UTF-8.")
            return None

        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        records: list[tuple[int, list[str]]] = []
        line = 1
        try:
            for record in reader:
                if len(record) > 1 or "".join(record).strip():
                    records.append((line, record))
                line = reader.line_num + 1
        except csv.Error as error:
            fix = "Check the quotes from this line on."
            self._file_problem(file, line, f"text that is not CSV ({error})", "comma-separated values", fix)
            return None
        if not records:
            fix = f"Write the header line {','.join(header)}"
            self._file_problem(file, 1, "an empty file", "a header line and rows", fix)
            return None
        if not self._header_is_right(file, *records[0]):
            return None
        return [self._row(file, line, records[0][1], record) for line, record in records[1:]]

    def _header_is_right(self, file: str, line: int, found: list[str]) -> bool:
        wanted = HEADERS[file]
        complaints = [
            ("missing", [name for name in wanted if name not in found]),
            ("unknown", [name for name in dict.fromkeys(found) if name not in wanted]),
            ("repeated", [name for name in dict.fromkeys(found) if found.count(name) > 1]),
        ]
        for complaint, names in complaints:
            if names:
                what = f"a header with {complaint} columns: {_words(names)}"
                self._file_problem(file, line, what, ",".join(wanted), "Correct the header line.")
        return not any(names for _, names in complaints)

    def _row(self, file: str, line: int, header: list[str], record: list[str]) -> _Row:
        broken = len(record) != len(header)
        if broken:
            fix = "Count the commas; a value that holds a comma stands between double quotes."
            self._file_problem(file, line, f"{len(record)} fields", f"{len(header)} fields", fix)
        padded = record + [""] * (len(header) - len(record))
        cells = dict(zip(header, padded, strict=False))
        row = _Row(file, line, {name: value.strip() for name, value in cells.items()}, broken)
        for name, value in cells.items():
            # dbt loads the seeds as they stand: a space that only this reader forgives would split the two readings.
            if not broken and value != row[name]:
                self._problem(row, name, repr(value), "no space before or after the value", "Remove the spaces.")
        return row

    # Cells ---------------------------------------------------------------------------------------------------------

    def _word(self, row: _Row, column: str, accepted: Sequence[str]) -> str:
        value = row[column]
        if value not in accepted:
            self._problem(row, column, _shown(value), " or ".join(accepted), "Write one of these words.")
        return value

    def _word_or_default(self, row: _Row, column: str, accepted: Sequence[str], default: str) -> str:
        return self._word(row, column, accepted) if row[column] else default

    def _boolean(self, row: _Row, column: str) -> bool:
        # Spreadsheets write TRUE and FALSE.
        value = row[column].lower()
        if value not in BOOLEANS:
            self._problem(row, column, _shown(row[column]), " or ".join(BOOLEANS), "Write one of these words.")
        return value == "true"

    def _filled(self, row: _Row, column: str) -> str:
        if not row[column]:
            self._problem(row, column, "nothing", "a name", f"Fill in {column}.")
        return row[column]

    def _pairs(self, row: _Row, column: str) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for item in _items(row[column]):
            key, equals, value = (part.strip() for part in item.partition("="))
            if not equals or not key:
                self._problem(row, column, repr(item), "key=value;key=value", "Write a key, then `=`, then its value.")
            elif key in pairs:
                self._problem(row, column, f"{key!r} twice", "each key once", "Remove one of the two.")
            else:
                pairs[key] = value
        return pairs

    def _names(self, row: _Row, column: str, names: Iterable[str]) -> tuple[str, ...]:
        """The names without repetitions, which are reported; Spark does not tell upper from lower case."""
        once: dict[str, str] = {}
        for name in names:
            if name.lower() in once:
                self._problem(row, column, f"{name!r} twice", "each column once", "Remove one of the two.")
            once.setdefault(name.lower(), name)
        return tuple(once.values())

    def _known_feed(self, row: _Row, known: set[str]) -> None:
        if not row.broken and row["feed"] not in known:
            accepted = f"a feed of {FEEDS_FILE}: {_words(sorted(known))}"
            self._problem(row, "feed", _shown(row["feed"]), accepted, "Correct the name or add the feed.")

    # Feeds ---------------------------------------------------------------------------------------------------------

    def _feeds(self, rows: list[_Row]) -> dict[str, Feed]:
        feeds: dict[str, Feed] = {}
        lines: dict[str, int] = {}
        for row in rows:
            if row.broken:
                continue
            name = row["feed"]
            if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
                accepted = "a lower-case letter, then lower-case letters, digits and _"
                self._problem(row, "feed", _shown(name), accepted, "Choose such a name.")
            if name in lines:
                found = f"{name!r} again, first in line {lines[name]}"
                self._problem(row, "feed", found, "each feed once", "Rename or remove one of the two.")
                continue
            lines[name] = row.line
            contract = self._word(row, "contract", tuple(CONTRACTS))
            feed = Feed(
                feed=name,
                contract=contract,
                format=self._word(row, "format", CONTRACTS.get(contract, FORMATS)),
                location=self._location(row, feeds.values()),
                options=self._options(row),
                description=row["description"],
            )
            feeds[name] = feed
        return feeds

    def _location(self, row: _Row, others: Iterable[Feed]) -> str:
        value = row["location"]
        if not value or ".." in value.split("/"):
            accepted = "a folder relative to the landing root, or a URI with its scheme; without .."
            self._problem(row, "location", _shown(value), accepted, "Write for example retail or s3a://bucket/retail.")
            return value
        location = value.rstrip("/") if "://" in value else posixpath.normpath(value)
        for other in others:
            if _within(location, other.location) or _within(other.location, location):
                found = f"{value!r}, which holds or lies in the location {other.location!r} of feed {other.feed}"
                fix = "Give each feed a folder of its own, else files would belong to both."
                self._problem(row, "location", found, "a folder no other feed reads", fix)
        return location

    def _options(self, row: _Row) -> FeedOptions:
        pairs = self._pairs(row, "options")
        known: tuple[str, ...] = COMMON_OPTIONS if row["format"] == "parquet" else COMMON_OPTIONS + CSV_OPTIONS
        of_messages = MESSAGE_OPTIONS.get(row["contract"], {})
        if row["contract"] in MESSAGE_OPTIONS:
            known = ("absent_columns", *of_messages)
        for key in sorted(pairs.keys() - set(known)):
            accepted = f"for {row['format'] or 'a feed'}: {_words(known)}"
            self._problem(row, "options", f"the option {key!r}", accepted, "Correct or remove it.")

        def checked(key: str, default: str, accepted: str, good: bool) -> str:
            if key in pairs and not good:
                self._problem(row, "options", f"{key}={pairs[key]}", accepted, f"Correct {key} or leave it out.")
                return default
            return pairs.get(key, default)

        timestamp = pairs.get("timestamp_column", "")
        good_timestamp = bool(timestamp) and not timestamp.lower().startswith(RESERVED_PREFIX)
        accepted_timestamp = f"the name of a column, not starting with {RESERVED_PREFIX}"
        sequence = pairs.get("change_sequence_column", "")
        good_sequence = bool(sequence) and not sequence.lower().startswith(RESERVED_PREFIX)
        if sequence and sequence.lower() == timestamp.lower():
            good_sequence = False
        prefix = pairs.get("before_image_prefix", "")
        good_prefix = bool(prefix) and not prefix.lower().startswith(RESERVED_PREFIX)
        accepted_sequence = f"{accepted_timestamp}, and not the timestamp_column"
        accepted_prefix = f"the first letters of a name, not {RESERVED_PREFIX}"
        delimiter = DELIMITER_WORDS.get(pairs.get("delimiter", ","), pairs.get("delimiter", ","))
        good_delimiter = len(delimiter) == 1 and delimiter not in '"\r\n'
        words = f"one character but the quote, or {' or '.join(DELIMITER_WORDS)}"
        operation = pairs.get("operation_column", "")
        good_operation = operation in OPERATION_COLUMN_WORDS
        good_absent = pairs.get("absent_columns") in ABSENT_COLUMNS_WORDS
        null_values = tuple(pairs.get("null_values", "|".join(DEFAULT_NULL_VALUES)).split("|"))
        unavailable = pairs.get("unavailable_value", "")
        good_unavailable = (
            bool(unavailable) and unavailable not in null_values and not set(unavailable) & {'"', delimiter}
        )
        accepted_unavailable = "a text that is none of null_values, without quotes and delimiter"
        checked("delimiter", ",", words, good_delimiter)
        header = checked("header", "false", " or ".join(BOOLEANS), pairs.get("header") in BOOLEANS) == "true"
        transactions = pairs.get("transaction_files")
        transaction_files = checked("transaction_files", "false", " or ".join(BOOLEANS), transactions in BOOLEANS)
        if header and transaction_files == "true":
            fix = "Remove one of the two: DMS writes no header where it preserves transactions."
            self._problem(row, "options", "header=true with transaction_files=true", "one of the two", fix)
        field_of_messages, zone = pairs.get("before_image_field", ""), pairs.get("time_zone", "")
        accepted_field = "the FieldName of BeforeImageSettings, not data, metadata or control"
        checked("before_image_field", "", accepted_field, field_of_messages.lower() not in MESSAGE_FIELDS)
        checked("time_zone", "", "the name of a time zone, such as Asia/Shanghai", _is_time_zone(zone))
        return FeedOptions(
            timestamp_column=checked("timestamp_column", "", accepted_timestamp, good_timestamp) or None,
            operation_column=checked("operation_column", "auto", " or ".join(OPERATION_COLUMN_WORDS), good_operation),
            change_sequence_column=checked("change_sequence_column", "", accepted_sequence, good_sequence) or None,
            before_image_prefix=checked("before_image_prefix", "", accepted_prefix, good_prefix) or None,
            absent_columns=checked("absent_columns", "null", " or ".join(ABSENT_COLUMNS_WORDS), good_absent),
            delimiter=delimiter,
            header=header,
            null_values=null_values,
            unavailable_value=checked("unavailable_value", "", accepted_unavailable, good_unavailable) or None,
            transaction_files=transaction_files == "true",
            of_messages=tuple(
                (key, checked(key, default, " or ".join(words), not words or pairs.get(key) in words))
                for key, (default, words) in of_messages.items()
            ),
        )

    # Columns -------------------------------------------------------------------------------------------------------

    def _columns(
        self, rows: list[_Row], table_rows: list[_Row] | None, feeds: dict[str, Feed]
    ) -> dict[_TableId, list[Column] | None]:
        """The columns of each table; None where a broken row leaves open what they are."""
        known_tables = None if table_rows is None else {row.table_id for row in table_rows}
        grouped: dict[_TableId, list[_Row]] = {}
        for row in rows:
            if known_tables is not None and not row.broken and row.table_id not in known_tables:
                found = f"{row['source_schema']}.{row['source_table']} of feed {row['feed']}"
                fix = "Correct the names (upper and lower case count) or add the table."
                self._problem(row, "source_table", found, f"a table of {TABLES_FILE}", fix)
            grouped.setdefault(row.table_id, []).append(row)
        return {table_id: self._columns_of_table(rows, feeds.get(table_id[0])) for table_id, rows in grouped.items()}

    def _columns_of_table(self, rows: list[_Row], feed: Feed | None) -> list[Column] | None:
        columns: list[tuple[_Row, Column]] = []
        lines: dict[str, int] = {}
        for row in rows:
            if row.broken:
                continue
            name = self._filled(row, "column_name")
            if feed and feed.options.header and name == "Op" and feed.options.operation_column != "never":
                found = "'Op', the name that DMS gives to its own column in a header"
                fix = "Rename it by a transformation rule of the task: a header that has it twice is ambiguous."
                self._problem(row, "column_name", found, "columns of the source only", fix)
            if feed and name and name.lower() == (feed.options.timestamp_column or "").lower():
                found = f"{name!r}, the timestamp_column of feed {feed.feed}"
                self._problem(row, "column_name", found, "columns of the source only", "Remove the row.")
            if name and name.lower() in lines:
                found = f"{name!r} again, first in line {lines[name.lower()]}"
                self._problem(row, "column_name", found, "each column of a table once", "Remove one of the two.")
            lines.setdefault(name.lower(), row.line)
            data_type = self._data_type(row, obligatory=feed is not None and feed.format != "parquet")
            optional = self._boolean(row, "optional")
            columns.append(
                (row, Column(table_name(name), self._position(row), data_type, optional, row["description"]))
            )
        if any(row.broken for row in rows):
            return None
        self._order(columns)
        return [column for _, column in sorted(columns, key=lambda item: item[1].position)]

    def _position(self, row: _Row) -> int:
        if not re.fullmatch(r"[1-9][0-9]*", row["position"]):
            fix = "Number the columns of a table in their order."
            self._problem(row, "position", _shown(row["position"]), "a whole number from 1", fix)
            return 0
        return int(row["position"])

    def _order(self, columns: list[tuple[_Row, Column]]) -> None:
        """Positions run 1..n, and optional columns come last: a file that lacks columns lacks the last ones."""
        if any(column.position == 0 for _, column in columns):
            return
        ordered = sorted(columns, key=lambda item: (item[1].position, item[0].line))
        last = 0
        for row, column in ordered:
            if column.position == last:
                found = f"{column.position} again"
                self._problem(row, "position", found, "each position of a table once", "Number the columns anew.")
            elif column.position > last + 1:
                found = f"{column.position} after {last}" if last else f"{column.position} first"
                self._problem(row, "position", found, "positions 1, 2, 3 … without gaps", "Number the columns anew.")
            last = column.position
        last_obligatory = max((column.position for _, column in columns if not column.optional), default=0)
        for row, column in ordered:
            if column.optional and column.position < last_obligatory:
                found = f"true, but position {last_obligatory} is obligatory"
                fix = "Correct optional or position."
                self._problem(row, "optional", found, "optional columns only at the end", fix)

    def _data_type(self, row: _Row, obligatory: bool) -> str | None:
        text = row["data_type"].lower()
        if not text:
            if obligatory:
                fix = "Only parquet files carry types: fill it in."
                self._problem(row, "data_type", "nothing", ACCEPTED_TYPES, fix)
            return None
        if text in SIMPLE_TYPES:
            return SIMPLE_TYPES[text]
        if match := _TEXT.fullmatch(text):
            return f"{match[1]}({match[2]})"
        if match := _DECIMAL.fullmatch(text):
            # Left out, they are 10 and 0, as in Spark.
            precision, scale = int(match[1] or 10), int(match[2] or 0)
            if 1 <= precision <= MAX_PRECISION and scale <= precision:
                return f"decimal({precision},{scale})"
            limits = f"decimal(p,s) with p from 1 to {MAX_PRECISION} and s from 0 to p"
            self._problem(row, "data_type", repr(row["data_type"]), limits, "Correct precision and scale.")
            return None
        self._problem(row, "data_type", repr(row["data_type"]), ACCEPTED_TYPES, "Write a Spark SQL type.")
        return None

    # Tables --------------------------------------------------------------------------------------------------------

    def _tables(
        self, rows: list[_Row], feeds: dict[str, Feed], columns: dict[_TableId, list[Column] | None] | None
    ) -> list[Table]:
        tables: list[Table] = []
        sources: dict[_TableId, _Row] = {}
        targets: dict[str, _Row] = {}
        for row in rows:
            if row.broken:
                continue
            schema, name = self._filled(row, "source_schema"), self._filled(row, "source_table")
            target = self._target_table(row)
            if schema and name and row.table_id in sources:
                found = f"{schema}.{name} of feed {row['feed']} again, first in line {sources[row.table_id].line}"
                self._problem(row, "source_table", found, "each table of a feed once", "Remove one of the two.")
            elif schema and name and target in targets:
                self._same_target(row, targets[target], target)
            sources.setdefault(row.table_id, row)
            targets.setdefault(target, row)
            feed = feeds.get(row["feed"])
            its_columns = None if columns is None else columns.get(row.table_id, [])
            table = Table(
                feed=row["feed"],
                source_schema=schema,
                source_table=name,
                target_table=target,
                primary_key=tuple(map(table_name, self._names(row, "primary_key", _items(row["primary_key"])))),
                delete_mode=self._word(row, "delete_mode", DELETE_MODES),
                mode=self._word(row, "mode", MODES),
                key_comparison=self._key_comparison(row),
                unchanged_rows=self._word_or_default(
                    row, "unchanged_rows", UNCHANGED_ROWS, UNCHANGED_ROWS_OF_MODE.get(row["mode"], "write")
                ),
                schema_drift=self._word_or_default(row, "schema_drift", SCHEMA_DRIFTS, SCHEMA_DRIFTS[0]),
                renamed_columns=self._renamed_columns(row),
                vanished_files=self._word_or_default(row, "vanished_files", VANISHED_FILES, VANISHED_FILES[0]),
                partition_by=self._partition_by(row),
                write_mode=self._word(row, "write_mode", WRITE_MODES),
                table_properties=self._table_properties(row),
                active=self._boolean(row, "active"),
                owner=row["owner"],
                description=row["description"],
                columns=tuple(its_columns or ()),
            )
            self._key_fits_mode(row, table)
            self._renames_fit(row, table, feed)
            self._truncates_are_in_order(row, table, feed)
            if feed and feed.format != "parquet" and its_columns == []:
                fix = f"Add a row per column to {COLUMNS_FILE}: only parquet files tell names and types."
                accepted = f"all columns of a {feed.format} table"
                self._problem(row, "source_table", f"no columns of {schema}.{name}", accepted, fix)
            if its_columns:
                known = [column.name for column in its_columns]
                self._known_columns(row, "primary_key", table.primary_key, known)
                self._known_columns(row, "partition_by", [part.column for part in table.partition_by], known)
                self._added_columns_are_placed(row, table, feed)
            tables.append(table)
        return tables

    def _target_table(self, row: _Row) -> str:
        """The name in the cell, or the one that follows from schema and table."""
        name = row["target_table"]
        if name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            accepted = "nothing, or a lower-case letter, then lower-case letters, digits and _"
            self._problem(row, "target_table", repr(name), accepted, "Choose such a name, or empty the cell.")
        return name or default_target(row["source_schema"], row["source_table"])

    def _same_target(self, row: _Row, first: _Row, target: str) -> None:
        one, other = (f"{it['source_schema']}.{it['source_table']} of feed {it['feed']}" for it in (row, first))
        found = f"{target!r} for {one}, as for {other} in line {first.line}"
        fix = f"Name another table in one of the two cells, for example {proposed_target(*row.table_id)}."
        self._problem(row, "target_table", found, "a table of its own for each row", fix)

    def _key_comparison(self, row: _Row) -> tuple[str, ...]:
        words = _items(row["key_comparison"])
        for word in words:
            if word not in KEY_COMPARISONS:
                accepted = f"nothing (exact), or {' and '.join(KEY_COMPARISONS)} separated by ;"
                self._problem(row, "key_comparison", repr(word), accepted, "Write one of these words.")
        for word in sorted({word for word in words if words.count(word) > 1}):
            self._problem(row, "key_comparison", f"{word!r} twice", "each word once", "Remove one of the two.")
        return tuple(words)

    def _renamed_columns(self, row: _Row) -> tuple[tuple[str, str], ...]:
        pairs = self._pairs(row, "renamed_columns")
        self._names(row, "renamed_columns", pairs)
        for old, new in pairs.items():
            what = repr(f"{old}={new}")
            for name in (old, new):
                if not name:
                    accepted = "old=new, two names"
                    self._problem(row, "renamed_columns", what, accepted, "Write the old name, then the new one.")
            if old.lower() == new.lower():
                fix = "Remove it: upper and lower case make no difference."
                self._problem(row, "renamed_columns", what, "two different names", fix)
            elif new.lower() in (other.lower() for other in pairs):
                fix = "Give each old name the name that the column has now."
                self._problem(row, "renamed_columns", what, "a new name that is not renamed again", fix)
        return tuple(sorted((table_name(old), table_name(new)) for old, new in pairs.items()))

    def _key_fits_mode(self, row: _Row, table: Table) -> None:
        if table.mode == "append":
            if table.primary_key:
                fix = "Empty it, or choose mode current or history."
                self._problem(row, "primary_key", repr(row["primary_key"]), "nothing with mode append", fix)
            if table.key_comparison:
                found, fix = repr(row["key_comparison"]), "Empty it: there is no key to compare."
                self._problem(row, "key_comparison", found, "nothing with mode append", fix)
            if table.unchanged_rows == "skip":
                fix = "Empty it: without a key no row is compared with an earlier one."
                self._problem(row, "unchanged_rows", "'skip'", "nothing or write with mode append", fix)
        elif not table.primary_key:
            fix = "Name the columns that identify a row; a table without a key needs mode append."
            self._problem(row, "primary_key", "nothing", "columns separated by ;", fix)
        types = {column.name: column.data_type for column in table.columns}
        known = [types.get(name) for name in table.primary_key]
        if table.key_comparison and known and all(known) and not any(_is_text(str(data_type)) for data_type in known):
            found = f"{row['key_comparison']!r} for a key of {_words(str(data_type) for data_type in known)}"
            self._problem(row, "key_comparison", found, "nothing for a key without text columns", "Empty it.")

    def _renames_fit(self, row: _Row, table: Table, feed: Feed | None) -> None:
        used = {
            "a key column": table.primary_key,
            "a partition column": [part.column for part in table.partition_by],
            f"a column of {COLUMNS_FILE}": [column.name for column in table.columns],
            "the timestamp_column of the feed": [feed.options.timestamp_column or ""] if feed else [],
            "the change_sequence_column of the feed": [feed.options.change_sequence_column or ""] if feed else [],
        }
        for old, new in table.renamed_columns:
            for what, names in used.items():
                if old.lower() in (name.lower() for name in names):
                    found = f"the old name {old!r}, which is {what}"
                    fix = f"Write {new!r} there, or remove the pair."
                    self._problem(row, "renamed_columns", found, "old names that are in use nowhere else", fix)
        if table.columns:
            known = [column.name for column in table.columns]
            self._known_columns(row, "renamed_columns", [new for _, new in table.renamed_columns], known)

    def _truncates_are_in_order(self, row: _Row, table: Table, feed: Feed | None) -> None:
        """A truncate is known by the time at which its files were missed; change sequences tell earlier times."""
        if feed and feed.options.change_sequence_column and table.vanished_files == "truncate":
            found = f"'truncate', though feed {feed.feed} has change_sequence_column"
            fix = "A truncate has no change sequence, and changes after it would count as older: choose one of these."
            self._problem(row, "vanished_files", found, "nothing, report or ignore", fix)

    def _added_columns_are_placed(self, row: _Row, table: Table, feed: Feed | None) -> None:
        """A csv file without a header does not tell where the columns that DMS adds behind the table's own stand."""
        if feed is None or feed.format != "csv" or feed.options.header:
            return
        options = feed.options
        prefix, sequence = options.before_image_prefix, options.change_sequence_column
        images = [f"{prefix}{file_name(name)}" for name in table.primary_key] if prefix else []
        listed = [column.name.lower() for column in table.columns]
        for option, names, what in (
            ("before_image_prefix", images, "the before image of every key column"),
            ("change_sequence_column", [sequence] if sequence else [], "that column"),
        ):
            missing = [name for name in names if name.lower() not in listed]
            if missing:
                found = f"no columns {_words(missing)}, though feed {feed.feed} has {option} and no header"
                fix = f"Add them to {COLUMNS_FILE} after the table's own columns, where DMS writes them."
                self._problem(row, "source_table", found, f"{what}, at its position", fix)

    def _partition_by(self, row: _Row) -> tuple[PartitionField, ...]:
        fields: list[PartitionField] = []
        for item in _items(row["partition_by"]):
            match = _PARTITION.fullmatch(item)
            if not match:
                self._problem(row, "partition_by", repr(item), ACCEPTED_PARTITIONS, "Write it like bucket(16, id).")
                continue
            column = match["plain"] or match["of"] or match["by"]
            if column.startswith("`"):
                column = column[1:-1].replace("``", "`")
            number = int(match["number"]) if match["number"] else None
            part = PartitionField(table_name(column), match["time"] or match["split"] or "identity", number)
            if part in fields:
                self._problem(row, "partition_by", f"{item!r} twice", "each field once", "Remove one of the two.")
            fields.append(part)
        return tuple(fields)

    def _table_properties(self, row: _Row) -> tuple[tuple[str, str], ...]:
        pairs = self._pairs(row, "table_properties")
        for key in pairs:
            if key in WRITE_MODE_PROPERTIES:
                fix = "Remove it and set write_mode."
                self._problem(row, "table_properties", repr(key), "properties other than the write modes", fix)
        return tuple(sorted(pairs.items()))

    def _known_columns(self, row: _Row, column: str, names: Iterable[str], known: list[str]) -> None:
        for name in names:
            if name not in known:
                fix = f"Correct the name (upper and lower case count) or add the column to {COLUMNS_FILE}."
                self._problem(row, column, repr(name), f"columns of the table: {_words(known)}", fix)


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(";") if item.strip()]


def _words(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _shown(value: str) -> str:
    return repr(value) if value else "nothing"


def _is_text(data_type: str) -> bool:
    return data_type.startswith(("string", "varchar", "char"))


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _within(location: str, folder: str) -> bool:
    """Whether ``location`` is ``folder`` or lies in it; ``.`` holds every relative location."""
    if folder == ".":
        return "://" not in location and not location.startswith("/")
    return location == folder or location.startswith(folder + "/")
