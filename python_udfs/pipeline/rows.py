"""The statement that gives bronze the rows of a batch: how each value is read, judged and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from python_udfs.pipeline.bronze import BatchRows
from python_udfs.pipeline.casts import CastCheck, Value, plan_checks, write_bytes, write_value
from python_udfs.pipeline.columns import (
    Column,
    JudgedColumns,
    judge_columns,
    list_literals,
    plan_before_images,
    write_entry,
)
from python_udfs.pipeline.commands import change_types
from python_udfs.pipeline.csv_layout import CsvLayout, OptionalColumn, lay_out_csv
from python_udfs.pipeline.keys import write_old_key
from python_udfs.pipeline.message_layout import MessageLayout, lay_out_messages
from python_udfs.pipeline.parquet_layout import ParquetLayout, lay_out_parquet
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Warehouse


@dataclass(frozen=True)
class Judgement:
    """The values of a row that are judged together: those of its key, or the others.

    Attributes:
        failed_casts: name of the column with the failures of casts while files were read; None: there are none.
        checks: of the values that the types of their columns may not hold.
        texts: of parquet files, which may be no UTF-8.
    """

    failed_casts: str | None
    checks: tuple[CastCheck, ...]
    texts: tuple[Value, ...]


@dataclass(frozen=True)
class KeyPart:
    """A column of the key before and after a change.

    Attributes:
        name: of the column.
        old: expression of its value before the change.
        new: expression of its value.
        text: expression of the old value as bronze keeps it.
    """

    name: str
    old: str
    new: str
    text: str


@dataclass(frozen=True)
class OldKey:
    """The key that an update has changed.

    Attributes:
        condition: in SQL; the update carries a before image.
        parts: its columns.
    """

    condition: str
    parts: tuple[KeyPart, ...]


@dataclass(frozen=True)
class Marker:
    """Rows that no file holds.

    Attributes:
        operation: `T`, `X` or `R`.
        name: of the common table expression with them.
    """

    operation: str
    name: str


@dataclass(frozen=True)
class RowsPlan:
    """The statement of a batch.

    Attributes:
        format: of the records: `csv`, `parquet`, `json`; `none` if there is nothing to read.
        columns: the plan of the columns of bronze, in their order.
        layout: of the records; None if there is nothing to read.
        reads_files: whether the statement reads the query of the files.
        is_insert_only: whether each change inserts a row, as its files have no operation.
        timestamp_column: whose text has to be a time; None: the files have none.
        sequence_column: name of the change sequence; None: the files have none.
        optional: columns that a record lacks although an earlier one may have had a value in them.
        primary_key: of the table.
        is_keyless: SQL condition: no column of the key has a value.
        of_key: the judgement of the key, which each row needs.
        of_others: that of the other columns, which a delete does not need.
        values: of the columns of bronze.
        old_key: None: no update can have changed its key.
        markers: in their order.
    """

    format: str
    columns: tuple[Column, ...]
    layout: CsvLayout | ParquetLayout | MessageLayout | None
    reads_files: bool
    is_insert_only: bool
    timestamp_column: str | None
    sequence_column: str | None
    optional: tuple[OptionalColumn, ...]
    primary_key: tuple[str, ...]
    is_keyless: str
    of_key: Judgement
    of_others: Judgement
    values: tuple[Value, ...]
    old_key: OldKey | None
    markers: tuple[Marker, ...]


def plan_rows(
    cdc: TableConfig,
    rows: BatchRows,
    columns: Sequence[Column],
    warehouse: Warehouse,
) -> RowsPlan:
    """Plans the statement that gives bronze the rows of a batch.

    Args:
        cdc: the description of the table.
        rows: of the batch.
        columns: the plan of its columns.
        warehouse: writes names and texts of SQL.
    """
    bronze, options = rows.bronze, cdc.options
    has_records = rows.view is not None
    format_ = cdc.format if has_records else "none"
    images = plan_before_images(cdc, rows.columns, columns, warehouse) if has_records else ()
    judged = judge_columns(cdc, [*columns, *images])
    command = change_types(str(bronze.identifier)) if bronze is not None else ""

    layout: CsvLayout | ParquetLayout | MessageLayout | None = None
    optional: tuple[OptionalColumn, ...] = ()
    has_casts = False
    if format_ == "csv":
        layout = lay_out_csv(cdc, columns, warehouse, images)
        optional = layout.optional if rows.has_short_records else ()
    elif format_ == "json":
        layout = lay_out_messages(cdc, columns, rows.loads_after, warehouse)
    elif format_ == "parquet":
        layout = lay_out_parquet(cdc, rows.columns, rows.schemas, columns, judged, warehouse, command)
        has_casts = layout.has_casts

    def judge(judged_columns: Sequence[Column], failed_casts: str) -> Judgement:
        return Judgement(
            failed_casts if has_casts else None,
            plan_checks(judged_columns, warehouse, cdc.format == "parquet", command),
            _list_texts(judged_columns, warehouse) if cdc.format == "parquet" else (),
        )

    comes_in_files = format_ in ("csv", "parquet")
    markers = _list_markers(rows)
    return RowsPlan(
        format=format_,
        columns=tuple(columns),
        layout=layout,
        reads_files=format_ != "json" or bool(markers),
        is_insert_only=options.operation_column == "never",
        timestamp_column=options.timestamp_column if has_records else None,
        sequence_column=options.change_sequence_column if comes_in_files else None,
        optional=optional,
        primary_key=cdc.primary_key,
        is_keyless=_write_is_keyless(cdc.primary_key, judged.of_key, warehouse),
        of_key=judge(judged.of_key, "_cdc_failed_key_casts"),
        of_others=judge(judged.others, "_cdc_failed_casts"),
        values=tuple(
            Value(column.name, _write_stored_value(cdc, column, judged if has_records else None, warehouse))
            for column in columns
        ),
        old_key=_plan_old_key(cdc, columns, warehouse) if format_ == "json" else _plan_images_key(images, warehouse),
        markers=markers,
    )


def _list_markers(rows: BatchRows) -> tuple[Marker, ...]:
    markers = [
        (rows.has_truncate, Marker("T", "truncates")),
        (rows.overwritten, Marker("X", "overwritten")),
        (rows.reloads, Marker("R", "reloads")),
    ]
    return tuple(marker for is_there, marker in markers if is_there)


def _holds_text(column: Column) -> bool:
    """Whether a column has text as parquet files have it: Spark reads the bytes as they are."""
    return column.type == "string" and column.raw_type in ("string", "binary")


def _list_texts(columns: Sequence[Column], warehouse: Warehouse) -> tuple[Value, ...]:
    return tuple(Value(column.name, _write_text(column, warehouse)) for column in columns if _holds_text(column))


def _write_text(column: Column, warehouse: Warehouse) -> str:
    name = warehouse.quote(column.name)
    return name if column.raw_type == "string" else f"cast({name} as string)"


def _write_is_keyless(primary_key: Sequence[str], of_key: Sequence[Column], warehouse: Warehouse) -> str:
    """A column that the files do not even have has no value."""
    present = {column.name.lower() for column in of_key if column.raw_type is not None}
    conditions = [f"{warehouse.quote(key)} is null" for key in primary_key if key.lower() in present]
    return " and ".join(conditions) or ("true" if primary_key else "false")


def _write_stored_value(cdc: TableConfig, column: Column, judged: JudgedColumns | None, warehouse: Warehouse) -> str:
    """Writes the value of a column in bronze.

    The image of a delete may hold what its column cannot: NULL then, as a cast that changes it would be a guess. So is
    a text that is no UTF-8: other engines refuse a table that has one. Only rows that break a rule and deletes can have
    it.
    """
    value = write_value(column, warehouse)
    if cdc.format == "parquet" and _holds_text(column):
        checked = warehouse.utf8_or_null_sql(value)
        value = f"if(_cdc_rule is null and _cdc_operation <> 'D', {value}, {checked})"
    if judged is not None and column.name in judged.may_fail:
        failure = f"_cdc_other_failures[{judged.may_fail.index(column.name)}]"
        value = f"if(_cdc_operation = 'D' and {failure} is not null, null, {value})"
    return value


def _plan_images_key(images: Sequence[Column], warehouse: Warehouse) -> OldKey | None:
    """A file without before images, or an update of a feed that fills them for changed columns only, has no value."""
    parts = []
    for image in images:
        old, key = write_value(image, warehouse), image.key or image
        text = write_old_key(old, image.type)
        text = warehouse.utf8_or_null_sql(text) if image.type == "string" else text
        parts.append(KeyPart(key.name, old, write_value(key, warehouse), text))
    if not parts:
        return None
    return OldKey(f"not ({' and '.join(f'{part.old} is null' for part in parts)})", tuple(parts))


def _plan_old_key(cdc: TableConfig, columns: Sequence[Column], warehouse: Warehouse) -> OldKey | None:
    """The before image of a message has the old values of the changed key columns."""
    by_name = {column.name.lower(): column for column in columns}
    parts = []
    for key in cdc.primary_key:
        column = by_name.get(key.lower())
        if column is None:
            continue
        names, new = list_literals(cdc, column, warehouse), write_value(column, warehouse)
        text = write_entry("_cdc_before", names)
        is_named = " or ".join(f"map_contains_key(_cdc_before, {name})" for name in names)
        before = f"try_cast({write_bytes(text) if column.has_bytes else text} as {column.type})"
        old = f"if({is_named}, {before}, {new})"
        parts.append(KeyPart(column.name, old, new, write_old_key(old, column.type)))
    return OldKey("_cdc_before is not null", tuple(parts)) if parts else None
