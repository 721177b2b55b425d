"""Writes the files an AWS DMS task leaves in its S3 target folder, byte for byte repeatable.

The same task settings and the same arguments give the same file names, bytes and modification times, so a test or a
demonstration can be replayed and its listings compared. Formats and names follow docs/feeds/dms_format.md; where it
says UNVERIFIED, the choice made here is stated beside the setting. Nothing here needs Spark.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

Operation = Literal["I", "U", "D"]
Row = Mapping[str, Any]
T = TypeVar("T")

OPERATION_COLUMN = "Op"
# The value in a record of a column that is not in the supplemental log.
_NOT_LOGGED = object()
# RowGroupLength's default: several row groups in one file are the normal case for a reader (docs/feeds/dms_format.md).
ROW_GROUP_LENGTH = 10_000
DATE_FOLDERS = {
    "YYYYMMDD": ("%Y", "%m", "%d"),
    "YYYYMMDDHH": ("%Y", "%m", "%d", "%H"),
    "YYYYMM": ("%Y", "%m"),
    "MMYYYYDD": ("%m", "%Y", "%d"),
    "DDMMYYYY": ("%d", "%m", "%Y"),
}
# Expressions of add-column rules, and what they have in a full load, if that is UNVERIFIED.
HEADER_EXPRESSIONS = ("AR_H_CHANGE_SEQ", "AR_H_OPERATION", "AR_H_COMMIT_TIMESTAMP")
_OPERATION_WORDS = {"I": "INSERT", "U": "UPDATE", "D": "DELETE"}
DATE_DELIMITERS = {"SLASH": "/", "DASH": "-", "UNDERSCORE": "_", "NONE": ""}


@dataclass(frozen=True)
class Column:
    """One column of a source table.

    ``type`` is the Arrow type of the parquet file (docs/feeds/dms_format.md) and decides the text in CSV. Naive
    timestamps are taken as UTC; use ``pa.timestamp("us", tz="UTC")`` if the parquet column shall be an instant.
    """

    name: str
    type: pa.DataType


@dataclass(frozen=True)
class SourceTable:
    """A table of the source database: its columns in table order and the names of its key columns (may be none)."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """One statement in commit order.

    ``row`` is the after image of an ``I`` or ``U`` and the before image of a ``D`` (docs/feeds/dms_format.md); a column
    it leaves out is written as NULL, or as not logged. ``committed_at`` is the commit time of its transaction, UTC if
    naive. ``before`` holds what columns of a ``U`` were before it, if that differs from ``row``: an update of the
    key is one ``U`` with the new key, and only a task with before images shows the old one. ``number`` is the change
    number of the task, the second part of its change sequence (docs/feeds/dms_format.md, Header columns).
    """

    operation: Operation
    row: Row
    committed_at: datetime
    before: Row = field(default_factory=dict)
    number: int = 0


@dataclass(frozen=True)
class DmsTask:
    """A DMS task with an S3 target: its endpoint settings (docs/feeds/dms_format.md), defaults as documented there.

    ``root`` is the target folder, for ``bucket/BucketFolder``. Settings that are not DMS's own names:

    * ``compression="gzip"``: CSV files get ``.gz``; parquet uses the gzip codec and keeps its name (UNVERIFIED).
    * ``date_partition_delimiter``: None switches date folders off. Folder and file name use the write time.
    * ``deletes_carry_key_only``: a ``D`` holds the key and NULLs, as from PostgreSQL with REPLICA IDENTITY DEFAULT.
    * ``csv_quote_ambiguous_text``: also quotes the empty text and a text that equals ``csv_null_value`` or
      ``csv_no_sup_value``. Whether DMS does so is UNVERIFIED (dms_format.md); without it those values look like NULL.
    * ``use_csv_no_sup_value`` and ``csv_no_sup_value``: what a ``U`` or ``D`` of a CSV file has for a column that its
      row leaves out, as Oracle logs no more than the key and what changed (docs/feeds/dms_format.md); unquoted.
    * ``before_image_prefix``: the rule add-before-image-columns: after the table's columns those of the key
      again, or with ``before_image_filter`` ``all`` every one, filled in ``U`` rows. Full loads have them too, empty
      (UNVERIFIED).
    * ``header_columns``: rules add-column: name and expression, one of ``HEADER_EXPRESSIONS``, of columns of
      text after all others.
    * ``cdc_path``: where ``transactions`` writes (CdcPath with PreserveTransactions). Its timestamp column stands
      after the schema (UNVERIFIED).
    * ``seconds_between_files``: how much later each further file of one call is written (CdcMaxBatchInterval).

    Raises:
        ValueError: settings that DMS refuses or that have no meaning, all of them in one message.
    """

    root: Path
    data_format: Literal["csv", "parquet"] = "csv"
    compression: Literal["none", "gzip"] = "none"
    timestamp_column_name: str | None = None
    include_op_for_full_load: bool = False
    cdc_inserts_only: bool = False
    cdc_inserts_and_updates: bool = False
    csv_delimiter: str = ","
    csv_row_delimiter: str = "\n"
    csv_null_value: str = "NULL"
    rfc4180: bool = True
    add_column_name: bool = False
    csv_quote_ambiguous_text: bool = False
    parquet_version: Literal["parquet_1_0", "parquet_2_0"] = "parquet_1_0"
    parquet_timestamp_in_millisecond: bool = False
    date_partition_delimiter: Literal["SLASH", "DASH", "UNDERSCORE", "NONE"] | None = None
    date_partition_sequence: Literal["YYYYMMDD", "YYYYMMDDHH", "YYYYMM", "MMYYYYDD", "DDMMYYYY"] = "YYYYMMDD"
    date_partition_timezone: str = "UTC"
    deletes_carry_key_only: bool = False
    use_csv_no_sup_value: bool = False
    csv_no_sup_value: str | None = None
    before_image_prefix: str | None = None
    before_image_filter: Literal["pk-only", "all"] = "pk-only"
    header_columns: tuple[tuple[str, str], ...] = ()
    cdc_path: str = "cdc"
    seconds_between_files: int = 60

    def __post_init__(self) -> None:
        """Refuses settings that make no sense, all at once."""
        problems = [
            f"{name} is {value!r}; expected one of {', '.join(map(repr, accepted))}"
            for name, value, accepted in (
                ("data_format", self.data_format, ("csv", "parquet")),
                ("compression", self.compression, ("none", "gzip")),
                ("parquet_version", self.parquet_version, ("parquet_1_0", "parquet_2_0")),
                ("date_partition_delimiter", self.date_partition_delimiter, (None, *DATE_DELIMITERS)),
                ("date_partition_sequence", self.date_partition_sequence, tuple(DATE_FOLDERS)),
                ("before_image_filter", self.before_image_filter, ("pk-only", "all")),
            )
            if value not in accepted
        ]
        problems += [
            f"header_columns asks for {expression!r}; expected one of {', '.join(HEADER_EXPRESSIONS)}"
            for _, expression in self.header_columns
            if expression not in HEADER_EXPRESSIONS
        ]
        if self.cdc_inserts_only and self.cdc_inserts_and_updates:
            problems.append("cdc_inserts_only and cdc_inserts_and_updates are both true; set at most one of them")
        for name, value in (
            ("timestamp_column_name", self.timestamp_column_name),
            ("before_image_prefix", self.before_image_prefix),
        ):
            if value == "":
                problems.append(f"{name} is empty text; give a name, or None for no such column")
        if self.use_csv_no_sup_value and self.data_format == "parquet":
            problems.append("use_csv_no_sup_value is true; parquet has no such value, expected data_format 'csv'")
        if self.seconds_between_files < 1:
            problems.append(f"seconds_between_files is {self.seconds_between_files}; expected at least 1")
        if problems:
            raise ValueError("DMS task settings (DmsTask): " + "; ".join(problems) + ".")

    def full_load(
        self,
        table: SourceTable,
        rows: Iterable[Row],
        written_at: datetime,
        *,
        rows_per_file: int | None = None,
        drop_existing: bool = False,
        segment: int | str | None = None,
    ) -> list[Path]:
        """Writes ``schema/table/LOAD<8 hex>`` files; called again, later, it is a reload (docs/feeds/dms_format.md).

        Args:
            table: the source table.
            rows: its rows; an absent column is NULL.
            written_at: transfer time (the timestamp column) and modification time of every file, UTC if naive.
            rows_per_file: rows in one file (for MaxFileSize); None: one file.
            drop_existing: TargetTablePrepMode other than DO_NOTHING: empties the table's folder first. Without it a
                reload overwrites files of the same name and leaves the others.
            segment: part of a parallel load: a number begins the names (``SEGMENT2_LOAD…``), a name is a folder.

        Returns:
            The files in load order; none for an empty table, which gets no folder either.
        """
        if drop_existing:
            self.truncate(table)
        columns = self._layout(table, with_operation=self.include_op_for_full_load)
        folder = self._folder(table) / segment if isinstance(segment, str) else self._folder(table)
        first = f"SEGMENT{segment}_" if isinstance(segment, int) else ""
        files = []
        for number, part in enumerate(_parts(list(rows), rows_per_file), start=1):
            records = [self._record(table, Change("I", row, written_at), is_load=True) for row in part]
            path = folder / f"{first}LOAD{number:08X}{self._suffix()}"
            files.append(store_object(path, self._encode(columns, records), written_at))
        return files

    def changes(
        self,
        table: SourceTable,
        changes: Iterable[Change],
        written_at: datetime,
        *,
        rows_per_file: int | None = None,
    ) -> list[Path]:
        """Writes ``schema/table/[date folders/]<YYYYMMDD>-<HHMMSSmmm>`` files, rows in the order given.

        Args:
            table: the source table.
            changes: statements in commit order; those the task's settings leave out are dropped.
            written_at: write time of the first file, UTC if naive: its name and its modification time. Each further
                file is ``seconds_between_files`` later.
            rows_per_file: rows in one file (for CdcMinFileSize); None: one file.

        Returns:
            The files in name order; none when no change is left to write.
        """
        captured = "IU" if self.cdc_inserts_and_updates else "I" if self.cdc_inserts_only else "IUD"
        with_operation = self.include_op_for_full_load or not self.cdc_inserts_only
        columns = self._layout(table, with_operation=with_operation)
        wanted = [change for change in changes if _known(change.operation) in captured]
        files = []
        for number, part in enumerate(_parts(wanted, rows_per_file)):
            moment = utc(written_at) + timedelta(seconds=number * self.seconds_between_files)
            records = [self._record(table, change) for change in part]
            path = self._folder(table) / self._change_file(moment)
            files.append(store_object(path, self._encode(columns, records), moment))
        return files

    def transactions(self, changes: Iterable[tuple[SourceTable, Change]], written_at: datetime) -> Path:
        """Writes one transaction file, ``CDC_TXN-<17 digits>.csv``: changes of any tables (docs/feeds/dms_format.md).

        Args:
            changes: tables and their statements in commit order.
            written_at: write time, UTC if naive: the file's name and its modification time.

        Returns:
            The file.
        """
        lines = []
        for table, change in changes:
            record = self._record(table, change)
            columns = self._layout(table, with_operation=True)
            operation, *values = self._csv_values(columns, record)
            names = [self._quoted(table.name), self._quoted(table.schema)]
            lines.append([operation, *names, *values])
        moment = utc(written_at)
        local = moment.astimezone(ZoneInfo(self.date_partition_timezone))
        # Whatever the format of the loads, these are CSV.
        suffix = ".csv.gz" if self.compression == "gzip" else ".csv"
        name = f"CDC_TXN-{local:%Y%m%d%H%M%S}{local.microsecond // 1000:03d}{suffix}"
        return store_object(self.root / self.cdc_path / name, self._compressed(self._joined(lines)), moment)

    def resume(
        self, table: SourceTable, sent: Sequence[Change], new: Sequence[Change], repeat: int, written_at: datetime
    ) -> list[Path]:
        """Writes one new change file as after stop and resume: the last ``repeat`` of ``sent`` again, then ``new``."""
        return self.changes(table, [*sent[max(len(sent) - repeat, 0) :], *new], written_at)

    def truncate(self, table: SourceTable) -> None:
        """Removes the table's folder, which is all that TRUNCATE or DROP leaves to see (docs/feeds/dms_format.md)."""
        shutil.rmtree(self._folder(table), ignore_errors=True)

    def _layout(self, table: SourceTable, *, with_operation: bool) -> list[Column]:
        """The columns of a file: ``[Op][timestamp] columns… [added columns…]`` (docs/feeds/dms_format.md)."""
        extra = [OPERATION_COLUMN] if with_operation else []
        if self.timestamp_column_name is not None:
            extra.append(self.timestamp_column_name)
        before = [Column(f"{self.before_image_prefix}{column.name}", column.type) for column in self._imaged(table)]
        header = [Column(name, pa.string()) for name, _ in self.header_columns]
        return [*(Column(name, pa.string()) for name in extra), *table.columns, *before, *header]

    def _imaged(self, table: SourceTable) -> list[Column]:
        """The columns that have a before image."""
        if self.before_image_prefix is None:
            return []
        return [column for column in table.columns if self.before_image_filter == "all" or column.name in table.key]

    def _record(self, table: SourceTable, change: Change, *, is_load: bool = False) -> dict[str, Any]:
        """One row of a file by column name, whether or not the layout has the two columns of DMS's own."""
        operation, row = change.operation, change.row
        names = {column.name for column in table.columns}
        unknown = [name for name in {**row, **change.before} if name not in names]
        if unknown:
            raise ValueError(
                f"Row of {table.schema}.{table.name} (DmsTask): unknown columns {unknown}; expected {sorted(names)}."
            )
        only_key = operation == "D" and self.deletes_carry_key_only
        image = {name: value for name, value in row.items() if not only_key or name in table.key}
        if self.use_csv_no_sup_value and self.csv_no_sup_value and operation != "I":
            image = {**dict.fromkeys(names, _NOT_LOGGED), **image}
        stamp = _timestamp_text(change.committed_at)
        record = {OPERATION_COLUMN: operation, str(self.timestamp_column_name): stamp, **image}
        header = {
            "AR_H_CHANGE_SEQ": "" if is_load else _change_sequence(change),
            "AR_H_OPERATION": _OPERATION_WORDS[operation],
            "AR_H_COMMIT_TIMESTAMP": stamp,
        }
        record |= {name: header[expression] for name, expression in self.header_columns}
        if operation == "U":
            earlier = {**row, **change.before}
            record |= {
                f"{self.before_image_prefix}{column.name}": earlier.get(column.name) for column in self._imaged(table)
            }
        return record

    def _folder(self, table: SourceTable) -> Path:
        return self.root / table.schema / table.name

    def _suffix(self) -> str:
        return ".csv.gz" if self.data_format == "csv" and self.compression == "gzip" else f".{self.data_format}"

    def _change_file(self, moment: datetime) -> Path:
        local = moment.astimezone(ZoneInfo(self.date_partition_timezone))
        name = f"{local:%Y%m%d-%H%M%S}{local.microsecond // 1000:03d}{self._suffix()}"
        if self.date_partition_delimiter is None:
            return Path(name)
        parts = [local.strftime(part) for part in DATE_FOLDERS[self.date_partition_sequence]]
        return Path(DATE_DELIMITERS[self.date_partition_delimiter].join(parts)) / name

    def _encode(self, columns: Sequence[Column], records: Sequence[Row]) -> bytes:
        if self.data_format == "parquet":
            return self._parquet(columns, records)
        return self._compressed(self._csv(columns, records))

    def _compressed(self, text: str) -> bytes:
        # mtime: gzip writes the clock into its header otherwise.
        return gzip.compress(text.encode(), mtime=0) if self.compression == "gzip" else text.encode()

    def _parquet(self, columns: Sequence[Column], records: Sequence[Row]) -> bytes:
        types = [self._parquet_type(column.type) for column in columns]
        arrays = [
            pa.array([record.get(column.name) for record in records], type=type_)
            for column, type_ in zip(columns, types, strict=True)
        ]
        first_version = self.parquet_version == "parquet_1_0"
        sink = io.BytesIO()
        pq.write_table(
            pa.Table.from_arrays(arrays, names=[column.name for column in columns]),
            sink,
            version="1.0" if first_version else "2.6",
            data_page_version="1.0" if first_version else "2.0",
            compression=self.compression.upper(),
            row_group_size=ROW_GROUP_LENGTH,
            store_schema=False,
        )
        return sink.getvalue()

    def _parquet_type(self, type_: pa.DataType) -> pa.DataType:
        if self.parquet_timestamp_in_millisecond and pa.types.is_timestamp(type_):
            return pa.timestamp("ms", tz=type_.tz)
        return type_

    def _csv(self, columns: Sequence[Column], records: Sequence[Row]) -> str:
        header = [[self._quoted(column.name) for column in columns]] if self.add_column_name else []
        return self._joined([*header, *(self._csv_values(columns, record) for record in records)])

    def _csv_values(self, columns: Sequence[Column], record: Row) -> list[str]:
        return [self._csv_value(_csv_renderer(column), record.get(column.name)) for column in columns]

    def _joined(self, lines: Sequence[Sequence[str]]) -> str:
        return "".join(self.csv_delimiter.join(line) + self.csv_row_delimiter for line in lines)

    def _csv_value(self, render: Callable[[Any], str], value: Any) -> str:
        if value is None:
            return self.csv_null_value
        return str(self.csv_no_sup_value) if value is _NOT_LOGGED else self._quoted(render(value))

    def _quoted(self, text: str) -> str:
        """Wraps a value in quotes where Rfc4180 asks for it: it holds a quote, a line break or the delimiter."""
        if not self.rfc4180:
            return text
        special = any(mark in text for mark in ('"', "\n", "\r", self.csv_delimiter))
        ambiguous = self.csv_quote_ambiguous_text and text in ("", self.csv_null_value, self.csv_no_sup_value)
        return '"' + text.replace('"', '""') + '"' if special or ambiguous else text


def store_object(path: Path, content: bytes, written_at: datetime) -> Path:
    """Makes a whole file appear at once, with its modification time already set.

    Args:
        path: the file; its folder is made.
        content: its bytes.
        written_at: its modification time, UTC if naive.

    Returns:
        The path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Listings of the landing area leave out names that start with a dot.
    unfinished = path.with_name(f".{path.name}.tmp")
    unfinished.write_bytes(content)
    nanoseconds = (utc(written_at) - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1) * 1000
    os.utime(unfinished, ns=(nanoseconds, nanoseconds))
    return unfinished.replace(path)


def utc(moment: datetime) -> datetime:
    """The moment in UTC; one without a zone is taken as UTC."""
    return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment.astimezone(timezone.utc)


def _parts(items: list[T], size: int | None) -> Iterator[list[T]]:
    if size is not None and size < 1:
        raise ValueError(f"rows_per_file (DmsTask) is {size}; expected at least 1, or None for one file.")
    step = size or max(len(items), 1)
    return (items[start : start + step] for start in range(0, len(items), step))


def _known(operation: str) -> str:
    if operation not in ("I", "U", "D"):
        raise ValueError(f"Change (DmsTask): operation is {operation!r}; expected 'I', 'U' or 'D'.")
    return operation


def _timestamp_text(moment: datetime) -> str:
    """``yyyy-MM-dd HH:mm:ss.SSSSSS``: TimestampColumnName and timestamps in CSV (docs/feeds/dms_format.md)."""
    return f"{utc(moment):%Y-%m-%d %H:%M:%S.%f}"


def _change_sequence(change: Change) -> str:
    """Time in UTC to hundredths of a second, and the number of the change (docs/feeds/dms_format.md)."""
    moment = utc(change.committed_at)
    return f"{moment:%Y%m%d%H%M%S}{moment.microsecond // 10_000:02d}{change.number:019d}"


def _decimal_text(value: Any) -> str:
    return f"{Decimal(value):f}"


def _date_text(value: date) -> str:
    return value.isoformat()


@cache
def _csv_renderer(column: Column) -> Callable[[Any], str]:
    """How a non-NULL value of the column's type reads in CSV (dms_format.md; binary as hex is UNVERIFIED)."""
    kinds: tuple[tuple[Callable[[pa.DataType], bool], Callable[[Any], str]], ...] = (
        (pa.types.is_string, str),
        (pa.types.is_integer, str),
        (pa.types.is_decimal, _decimal_text),
        (pa.types.is_date32, _date_text),
        (pa.types.is_timestamp, _timestamp_text),
        (pa.types.is_boolean, lambda value: str(value).lower()),
        (pa.types.is_floating, repr),
        (pa.types.is_binary, bytes.hex),
    )
    for matches, render in kinds:
        if matches(column.type):
            return render
    raise ValueError(
        f"Column {column.name} (DmsTask): CSV has no rendering for type {column.type}; expected string, an integer, "
        "decimal, date32, timestamp, bool, a floating type or binary."
    )
