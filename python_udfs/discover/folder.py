"""Reads what the files of a landing folder show: names, types, options of the feed.

Layout and names are DMS's (docs/feeds/dms_format.md), one folder per table. Nothing is read whole: of
each table the schemas or first records of a few files.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from python_udfs.cli.console import counted
from python_udfs.connectors.file_names import (
    DMS_CHANGES,
    DMS_CONTROL_TABLE,
    DMS_LOAD,
    DMS_TRANSACTIONS,
    DMS_VALIDATION,
)
from python_udfs.connectors.options import DELIMITER_WORDS
from python_udfs.discover.found import Found, FoundColumn, FoundTable, Typed, Warned, matches, warn_no_key
from python_udfs.errors import UsageError
from python_udfs.metadata import FeedOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOAD_NAME = re.compile(rf"{DMS_LOAD}\.(?:parquet|csv)(?:\.gz)?")
CHANGE_NAME = re.compile(rf"{DMS_CHANGES}\.(?:parquet|csv)(?:\.gz)?")
TRANSACTIONS_NAME = re.compile(rf"{DMS_TRANSACTIONS}\.csv(?:\.gz)?")
NOT_OURS = re.compile(f"{DMS_VALIDATION}|{DMS_CONTROL_TABLE}")

FILES_PER_KIND = 5  # of a table's loads and of its changes: the first and the last ones
BYTES_PER_FILE = 64 * 1024
ROWS_PER_FILE = 200

OPERATION_COLUMN = "op"
OPERATION = re.compile("[IUD]")
BEFORE_IMAGE_PREFIX = "BI_"
TIMESTAMP_COLUMN = "dms_timestamp"  # for files that name no columns
CHANGE_SEQUENCE_NAME = "change_seq"  # docs/feeds/dms_format.md, Header columns
CHANGE_SEQUENCE_COLUMN = "change_sequence"  # for files that name no columns
CHANGE_SEQUENCE = re.compile(r"\d{35}")

# A sign or a zero in front would be lost.
INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?")
ZERO_DATE = re.compile(r"0000-.*|\d{4}-00-.*|\d{4}-\d\d-00.*")
NAME = re.compile(r"[^\W\d][\w $#]*")

SPARK_TYPES = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    # Unsigned integers as Spark reads them.
    pa.uint8(): "smallint",
    pa.uint16(): "int",
    pa.uint32(): "bigint",
    pa.uint64(): "decimal(20,0)",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
    pa.date32(): "date",
}


@dataclass
class _Seen:
    """A column in one file: its name and type, if the file has them, and its first texts."""

    name: str
    type: pa.DataType | None
    texts: list[str]

    def is_all(self, pattern: re.Pattern[str]) -> bool:
        """Whether there are texts, and all match."""
        return bool(self.texts) and all(pattern.fullmatch(text) for text in self.texts)


@dataclass
class _File:
    """A file that was opened; ``columns`` are those of the source once the layout of its rows is known."""

    is_load: bool
    columns: list[_Seen]


@dataclass
class _Folder:
    """The files of one table: keys in the order in which they were written, and those that were opened."""

    loads: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    opened: list[_File] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


_Folders = dict[tuple[str, str], _Folder]


def read_folder(
    source: str,
    schemas: Sequence[str],
    tables: Sequence[str],
    *,
    format: str | None = None,
    options: FeedOptions | None = None,
) -> Found:
    """Reads the tables that the files of a landing folder show.

    Args:
        source: a folder, or a URI that pyarrow opens; it holds `<schema>/<table>/` folders.
        schemas: schemas to look at; empty for all.
        tables: patterns of table names as in SQL's LIKE; empty for all.
        format: `parquet` or `csv`; None takes the one that most files have.
        options: how the files are read, if the feed exists; None finds out.

    Returns:
        The tables in the order of their names; files show no keys.

    Raises:
        UsageError: there is no such folder, or no file of such a schema or table in it.
    """
    filesystem, base, files = _open(source)
    source = _shown(source)
    folders, transactions = _sorted(base, files)
    folders = _chosen(folders, schemas, tables, source, transactions)
    formats = Counter(_format(key) for folder in folders.values() for key in folder.loads + folder.changes)
    format = format or formats.most_common(1)[0][0]
    if not formats[format]:
        there = ", ".join(formats)
        raise UsageError([f"SOURCE: the feed reads {format} files, and {source} holds none; there are: {there}"])
    source_tables = Found(f"{len(folders)} table folders in {source}", "files", [], format=format)
    if format == "csv":
        _open_csv(filesystem, base, folders, source_tables, options)
    else:
        _open_parquet(filesystem, base, folders)
    is_named = format == "parquet" or (options.header if options else source_tables.options.get("header") == "true")
    _leave_source_columns(folders, source_tables, options, is_named=is_named)
    source_tables.is_named, source_tables.has_types = is_named, format == "parquet"

    for (schema, name), folder in folders.items():
        if folder.opened or folder.unreadable:
            source_tables.tables.append(_table(schema, name, folder, source_tables, options, is_named=is_named))
    if transactions:
        advice = (
            "Transaction files of many tables (CDC_TXN-…): they carry no names of columns; only the folders of the "
            "tables were looked at."
        )
        source_tables.warned.append(
            Warned("transaction files", advice, f"{len(transactions)} files, first {transactions[0]}")
        )
    if others := sum(count for word, count in formats.items() if word != format):
        advice = f"The feed reads {format} files; the others are left out. Give them a feed of their own."
        source_tables.warned.append(Warned("two formats", advice, f"{others} files"))
    return source_tables


# Listing -------------------------------------------------------------------------------------------------------------


def _open(source: str) -> tuple[pyarrow.fs.FileSystem, str, list[pyarrow.fs.FileInfo]]:
    """The file system, the folder in it, and everything below."""
    try:
        if "://" in source:
            filesystem, base = pyarrow.fs.FileSystem.from_uri(re.sub(r"^s3[an]://", "s3://", source))
        else:
            filesystem, base = pyarrow.fs.LocalFileSystem(), source
        base = base.rstrip("/")
        if filesystem.get_file_info(base).type != pyarrow.fs.FileType.Directory:
            mistake = f"there is no folder {_shown(source)}; a database is given as a URL, <database>://…"
            raise UsageError([f"SOURCE: {mistake}"])
        return filesystem, base, filesystem.get_file_info(pyarrow.fs.FileSelector(base, recursive=True))
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these two kinds
        reason = " ".join(str(error).split()).replace(source, _shown(source))
        raise UsageError([f"SOURCE: {_shown(source)} cannot be listed: {reason}"]) from None


def _shown(source: str) -> str:
    """The source without secrets: a URI can hold one, and so can what was meant as the URL of a database."""
    return re.sub(r":.*@", ":***@", source).partition("?")[0]


def _sorted(base: str, files: Iterable[pyarrow.fs.FileInfo]) -> tuple[_Folders, list[str]]:
    """The files by table, and the transaction files."""
    folders: _Folders = {}
    transactions = []
    for info in files:
        key = info.path[len(base) + 1 :]
        if not info.is_file or not info.size or NOT_OURS.search(key):
            continue
        if TRANSACTIONS_NAME.fullmatch(info.base_name):
            transactions.append(key)
        elif key.count("/") >= 2:
            schema, table, _ = key.split("/", 2)
            if LOAD_NAME.fullmatch(info.base_name):
                folders.setdefault((schema, table), _Folder()).loads.append(key)
            elif CHANGE_NAME.fullmatch(info.base_name):
                folders.setdefault((schema, table), _Folder()).changes.append(key)
    for folder in folders.values():
        folder.loads.sort()
        folder.changes.sort(key=lambda key: key.rpartition("/")[2])
    return dict(sorted(folders.items())), sorted(transactions)


def _chosen(
    folders: _Folders, schemas: Sequence[str], tables: Sequence[str], source: str, transactions: list[str]
) -> _Folders:
    there = sorted({schema for schema, _ in folders})
    if not there:
        also = f" but {len(transactions)} transaction files, which name no columns" if transactions else ""
        expected = "expected files such as <schema>/<table>/LOAD00000001.parquet"
        raise UsageError([f"SOURCE: {source} has no files of tables{also}; {expected}"])
    missing = [schema for schema in schemas if schema not in there]
    if missing:
        names = ", ".join(there)
        raise UsageError([f"SCHEMAS: {source} has no schema {schema!r}; there are: {names}" for schema in missing])
    chosen = {name: its for name, its in folders.items() if name[0] in (schemas or there) and matches(name[1], tables)}
    if not chosen:
        raise UsageError([f"TABLES: no table in {source} is like {' or '.join(tables)}"])
    return chosen


def _format(key: str) -> str:
    return key.removesuffix(".gz").rpartition(".")[2]


def _sampled(folder: _Folder, format: str) -> Iterable[tuple[str, bool]]:
    """Keys of the files to open, each with whether it is a load; the newest one last."""
    for every, is_load in ((folder.loads, True), (folder.changes, False)):
        keys = [key for key in every if _format(key) == format]
        first = FILES_PER_KIND // 2
        few = keys if len(keys) <= FILES_PER_KIND else keys[:first] + keys[first - FILES_PER_KIND :]
        yield from ((key, is_load) for key in few)


# Opening -------------------------------------------------------------------------------------------------------------


def _open_parquet(filesystem: pyarrow.fs.FileSystem, base: str, folders: _Folders) -> None:
    for folder in folders.values():
        for key, is_load in _sampled(folder, "parquet"):
            try:
                if key.endswith(".gz"):
                    with filesystem.open_input_stream(f"{base}/{key}") as stream:
                        columns = _parquet_columns(pa.BufferReader(stream.read()))
                else:
                    with filesystem.open_input_file(f"{base}/{key}") as file:
                        columns = _parquet_columns(file)
            except (OSError, ValueError):
                folder.unreadable.append(key)
            else:
                folder.opened.append(_File(is_load, columns))


def _parquet_columns(file: Any) -> list[_Seen]:
    parquet = pyarrow.parquet.ParquetFile(file)
    columns = [_Seen(item.name, item.type, []) for item in parquet.schema_arrow]
    # Where DMS puts the time of commit: before the columns of the source.
    texts = [column for column in columns[:2] if pa.types.is_string(column.type)]
    batches = parquet.iter_batches(batch_size=ROWS_PER_FILE, columns=[column.name for column in texts])
    if texts and (batch := next(batches, None)) is not None:
        for column in texts:
            column.texts = [text for text in batch.column(column.name).to_pylist() if text is not None]
    return columns


def _open_csv(
    filesystem: pyarrow.fs.FileSystem, base: str, folders: _Folders, source_tables: Found, options: FeedOptions | None
) -> None:
    texts: list[tuple[_Folder, bool, str, bool]] = []
    for folder in folders.values():
        for key, is_load in _sampled(folder, "csv"):
            try:
                with filesystem.open_input_stream(f"{base}/{key}", compression="detect") as stream:
                    content = stream.read(BYTES_PER_FILE)
            except (OSError, ValueError):
                folder.unreadable.append(key)
            else:
                texts.append((folder, is_load, content.decode("utf-8", "replace"), len(content) == BYTES_PER_FILE))

    delimiter = options.delimiter if options else _delimiter([text for _, _, text, _ in texts])
    files = [(folder, is_load, _records(text, delimiter, is_cut=is_cut)) for folder, is_load, text, is_cut in texts]
    has_header = options.header if options else _has_header([(is_load, records) for _, is_load, records in files])
    if not options:
        if delimiter != ",":
            words = {character: word for word, character in DELIMITER_WORDS.items()}
            source_tables.options["delimiter"] = words.get(delimiter, delimiter)
        if has_header:
            source_tables.options["header"] = "true"
    null_values = (options or FeedOptions()).null_values
    for folder, is_load, records in files:
        names = records[0] if has_header and records else []
        columns = [
            _Seen(name, None, [text for text in values if text not in null_values])
            for name, *values in zip_longest(names, *records[1 if has_header else 0 :], fillvalue="")
        ]
        folder.opened.append(_File(is_load, columns))


def _delimiter(texts: list[str]) -> str:
    # Only in first lines: what texts hold further on must not win.
    counts = Counter(character for text in texts for character in text.partition("\n")[0] if character in ",;|\t")
    return counts.most_common(1)[0][0] if counts else ","


def _records(text: str, delimiter: str, *, is_cut: bool) -> list[list[str]]:
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:  # a NUL, before Python 3.11
        return []
    return [record for record in (records[:-1] if is_cut else records) if record][: ROWS_PER_FILE + 1]


def _has_header(files: list[tuple[bool, list[list[str]]]]) -> bool:
    """Whether every file begins with names (AddColumnName): different words, and none of them an operation."""
    filled = [records for _, records in files if records]
    return bool(filled) and all(
        all(NAME.fullmatch(word) for word in records[0])
        and len({word.lower() for word in records[0]}) == len(records[0])
        and not OPERATION.fullmatch(records[0][0])
        and records[0] not in records[1:]
        for records in filled
    )


# Layout of the rows --------------------------------------------------------------------------------------------------


def _leave_source_columns(
    folders: _Folders, source_tables: Found, options: FeedOptions | None, *, is_named: bool
) -> None:
    """Take the columns that DMS puts before those of the source away, and note how they are found."""
    files = [file for folder in folders.values() for file in folder.opened if file.columns]
    operation = options.operation_column if options else _operation_option(files, is_named=is_named)
    for file in files:
        may_have_one = operation == "always" or (operation == "auto" and not file.is_load)
        if may_have_one and _has_operation(file, is_named=is_named):
            del file.columns[0]

    time = options.timestamp_column if options else _timestamp_option(files, is_named=is_named)
    for file in files:
        file.columns = [
            column
            for position, column in enumerate(file.columns)
            if not time or (column.name.lower() != time.lower() if is_named else position > 0)
        ]
    names = {column.name.lower() for file in files for column in file.columns}
    sequences = [column.name for file in files for column in file.columns if _is_change_sequence(column)]
    source_tables.change_sequence = (sequences[0] or CHANGE_SEQUENCE_COLUMN) if sequences else None
    if not options:
        detected = {
            "timestamp_column": time,
            "operation_column": operation if operation != "auto" else None,
            "change_sequence_column": source_tables.change_sequence,
            "before_image_prefix": BEFORE_IMAGE_PREFIX
            if any(f"{BEFORE_IMAGE_PREFIX.lower()}{name}" in names for name in names)
            else None,
        }
        source_tables.options |= {key: value for key, value in detected.items() if value}


def _is_change_sequence(column: _Seen) -> bool:
    """Whether a column holds DMS's change sequence; parquet files show no values, and those of loads are empty."""
    may_be_one = not column.texts and column.type in (None, pa.string())
    return column.is_all(CHANGE_SEQUENCE) or (may_be_one and CHANGE_SEQUENCE_NAME in column.name.lower())


def _has_operation(file: _File, *, is_named: bool) -> bool:
    first = file.columns[0]
    return first.name.lower() == OPERATION_COLUMN if is_named else first.is_all(OPERATION)


def _operation_option(files: list[_File], *, is_named: bool) -> str:
    """Which files begin with an operation (docs/feeds/dms_format.md, Row layout)."""
    loads = [_has_operation(file, is_named=is_named) for file in files if file.is_load]
    changes = [_has_operation(file, is_named=is_named) for file in files if not file.is_load]
    if changes and not any(changes):
        return "never"
    return "always" if loads and all(loads) and (changes or is_named) else "auto"


def _timestamp_option(files: list[_File], *, is_named: bool) -> str | None:
    """The column that DMS adds with the time of commit: the first one of every file, a text."""
    first = [file.columns[0] for file in files if file.columns and file.columns[0].texts]
    names = {file.columns[0].name for file in files if file.columns}
    if len(names) != 1 or not first or not all(column.is_all(TIMESTAMP) for column in first):
        return None
    return names.pop() if is_named else TIMESTAMP_COLUMN


# Tables --------------------------------------------------------------------------------------------------------------


def _table(
    schema: str, name: str, folder: _Folder, source_tables: Found, options: FeedOptions | None, *, is_named: bool
) -> FoundTable:
    files = [file for file in folder.opened if file.columns]
    seen: dict[str, list[_Seen]] = {}
    if is_named:
        # The newest file has the order; columns that only older ones have come last.
        for file in reversed(files):
            for column in file.columns:
                seen.setdefault(column.name.lower(), []).append(column)
        shortest = len(seen)
    else:
        for file in files:
            for position, column in enumerate(file.columns, start=1):
                seen.setdefault(f"column_{position}", []).append(column)
        shortest = min((len(file.columns) for file in files), default=0)

    table = FoundTable(schema, name, [])
    table.only_older = _only_older(files) if is_named else frozenset()
    unknown, before_images = [], []
    guesses = _Guesses()
    prefix = (options.before_image_prefix if options else source_tables.options.get("before_image_prefix")) or ""
    sequence = options.change_sequence_column if options else source_tables.change_sequence
    for position, (key, columns) in enumerate(seen.items(), start=1):
        typed = _typed(columns, source_tables.format)
        shown = columns[0].name if is_named else key
        if sequence and is_named and key == sequence.lower():  # it is found by its name
            continue
        if sequence and not is_named and any(map(_is_change_sequence, columns)):
            shown = sequence
        if prefix and key.startswith(prefix.lower()) and key[len(prefix) :] in seen:
            before_images.append(seen[key[len(prefix) :]][0].name)
            if source_tables.format != "csv":  # parquet files name them; rows of metadata are for the others
                continue
        if not typed.is_known:
            unknown.append(f"{shown} {typed.remark}")
        elif source_tables.format == "csv":
            _note_guess(guesses, shown, columns, typed)
        table.columns.append(FoundColumn(shown, typed.data_type, optional=position > shortest))

    is_key_only = before_images and len(before_images) < len(table.columns)
    hint = f"there are before images of {';'.join(before_images)}, probably the key" if is_key_only else ""
    table.warned.append(warn_no_key(hint or "files show no key"))
    if unknown:
        advice = (
            "Types that are not known here are left empty: the column gets the type in the files. Types that are not "
            "the same in all files are proposed as string."
        )
        table.warned.append(Warned("unknown type", advice, "; ".join(unknown)))
    if source_tables.format == "csv":
        advice = (
            f"Files of csv carry no types: these are guessed from the first {ROWS_PER_FILE} rows of a few files, and "
            "numbers with a point stay string. A later value that does not fit is quarantined; of a code such as 007 "
            "only the number stays: write string for codes. make discover on the database knows names, types and keys."
        )
        names = [] if is_named else ["names are missing, too"]
        table.warned.append(Warned("guessed", advice, "; ".join([*guesses.shown, *names])))
    if guesses.zero_dates:
        advice = (
            "Dates such as 0000-00-00, which no date of Spark can hold: proposed as string (docs/feeds/dms.md). As "
            "date or timestamp these rows are quarantined."
        )
        table.warned.append(Warned("zero dates", advice, ", ".join(guesses.zero_dates)))
    if not folder.loads:
        advice = "No LOAD file: rows that were there before the first change are missing. Load the table in full."
        table.warned.append(Warned("no full load", advice))
    if folder.unreadable:
        advice = "Files that cannot be read, and were not looked at."
        table.warned.append(Warned("unreadable", advice, ", ".join(folder.unreadable)))
    return table


@dataclass
class _Guesses:
    """Facts that texts do not prove: types, with the number of values they are from, and columns with zero dates."""

    shown: list[str] = field(default_factory=list)
    zero_dates: list[str] = field(default_factory=list)


def _note_guess(guesses: _Guesses, name: str, columns: list[_Seen], typed: Typed) -> None:
    texts = [text for column in columns for text in column.texts]
    if typed.data_type != "string":
        guesses.shown.append(f"{name} {typed.data_type} from {counted(len(texts), 'value')}")
    elif any(ZERO_DATE.fullmatch(text) and (DATE.fullmatch(text) or TIMESTAMP.fullmatch(text)) for text in texts):
        guesses.zero_dates.append(name)


def _only_older(files: list[_File]) -> frozenset[str]:
    """The columns that the newest file does not have any more, in lower case."""
    newest = {column.name.lower() for column in files[-1].columns} if files else set()
    return frozenset(column.name.lower() for file in files for column in file.columns) - newest


def _is_moment(text: str) -> bool:
    """Whether a text that looks like a date or a timestamp is one, to the microsecond."""
    try:
        datetime.fromisoformat(text.partition(".")[0])
    except ValueError:
        return False
    return len(text.partition(".")[2]) <= 6


def _typed(columns: list[_Seen], format: str) -> Typed:
    """The type of a column from all files that were opened; the remark names what is not known."""
    if format == "csv":
        texts = [text for column in columns for text in column.texts]
        if texts and all(map(INTEGER.fullmatch, texts)):
            return Typed("bigint")
        for pattern, data_type in ((DATE, "date"), (TIMESTAMP, "timestamp_ntz")):
            if texts and all(pattern.fullmatch(text) and _is_moment(text) for text in texts):
                return Typed(data_type)
        return Typed("string")
    types = list(dict.fromkeys(column.type for column in columns if column.type is not None))
    try:
        merged = pa.unify_schemas([pa.schema([("c", kind)]) for kind in types], promote_options="permissive")
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        return Typed("string", " and ".join(map(str, types)), is_known=False)
    kind = merged.field("c").type
    if pa.types.is_floating(kind) and any(map(pa.types.is_integer, types)):
        # A double does not hold each bigint: the first file's type and exact casts lose nothing.
        return Typed("", " and ".join(map(str, types)), is_known=False)
    return _spark_type(kind)


def _spark_type(kind: pa.DataType) -> Typed:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_decimal(kind) and kind.precision <= 38 and 0 <= kind.scale <= kind.precision:
        return Typed(f"decimal({kind.precision},{kind.scale})")
    if pa.types.is_timestamp(kind) and kind.unit == "ns":  # docs/feeds/dms_format.md, Parquet types
        return Typed("string")
    if pa.types.is_timestamp(kind):
        return Typed("timestamp" if kind.tz else "timestamp_ntz")
    data_type = SPARK_TYPES.get(kind)
    return Typed(data_type) if data_type else Typed("", str(kind), is_known=False)
