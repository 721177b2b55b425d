"""The layout of parquet rows: the columns of files that hold the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_udfs.pipeline.casts import CastCheck, Value, plan_checks, write_try_cast
from python_udfs.pipeline.columns import (
    Column,
    JudgedColumns,
    list_names_in_files,
    read_part,
    select_own_columns,
    write_coalesce,
)
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Warehouse

FileColumn = Mapping[str, Any]


@dataclass(frozen=True)
class ParquetLayout:
    """Where the values of a parquet table's rows stand.

    Attributes:
        operation: expression of the column that DMS adds, as text; NULL if the files have none.
        timestamp: likewise.
        change_sequence: likewise; None: the feed has none.
        values: of the columns of the table and of before images, as they are judged.
        content: all columns of the files under the names that they have there. One that has several types in the batch
            stands there once for each; a row has a value in one of them, and its JSON leaves NULL out.
        types: of these columns by their names, by the number of a file's schema.
        unavailable: names of columns that a file lacks, by the number of its schema.
        absent_keys: names of columns of the key that a file lacks, likewise.
        has_casts: whether values are cast while the files are read.
        key_casts: the checks of columns of the key that are so cast, one group for each column: a row has a value in
            one of its places.
        other_casts: those of the other columns.
    """

    operation: str
    timestamp: str
    change_sequence: str | None
    values: tuple[Value, ...]
    content: tuple[Value, ...]
    types: Mapping[int, Mapping[str, str]]
    unavailable: Mapping[int, tuple[str, ...]]
    absent_keys: Mapping[int, tuple[str, ...]]
    has_casts: bool
    key_casts: tuple[tuple[CastCheck, ...], ...]
    other_casts: tuple[tuple[CastCheck, ...], ...]


def lay_out_parquet(
    cdc: TableConfig,
    files: Sequence[FileColumn],
    schemas: Iterable[Iterable[FileColumn]],
    columns: Sequence[Column],
    judged: JudgedColumns,
    warehouse: Warehouse,
    command: str = "",
) -> ParquetLayout:
    """Lays out the rows of parquet files.

    Args:
        cdc: the description of the table.
        files: the columns of the view over the files.
        schemas: the columns of single files, at the position `_file_schema`.
        columns: the plan of the table's columns.
        judged: these columns and the before images.
        warehouse: writes names and texts of SQL.
        command: as for `plan_checks`.
    """
    schemas = [list(schema) for schema in schemas]
    options, keys = cdc.options, {key.lower() for key in cdc.primary_key}
    list_places = _Places(cdc, files, warehouse)
    all_columns = [*columns, *(column for column in judged.others if column.key is not None)]

    def check(cast: Iterable[Column]) -> tuple[tuple[CastCheck, ...], ...]:
        return tuple(plan_checks(list_places(column), warehouse, True, command) for column in cast if column.is_cast)

    def find_absent(wanted: Sequence[Column]) -> dict[int, tuple[str, ...]]:
        lacking = ((number, _list_absent(cdc, wanted, schema)) for number, schema in enumerate(schemas))
        return {number: names for number, names in lacking if names}

    operation = "Op" if options.operation_column != "never" else None
    sequence = options.change_sequence_column
    others = [column for column in columns if column.name.lower() not in keys]
    return ParquetLayout(
        operation=_write_control(files, operation, warehouse),
        timestamp=_write_control(files, options.timestamp_column, warehouse),
        change_sequence=_write_control(files, sequence, warehouse) if sequence else None,
        values=tuple(
            Value(column.name, write_coalesce(_write_place(place, warehouse) for place in list_places(column)))
            for column in all_columns
            if column.raw_type is not None
        ),
        content=tuple(Value(_name_in_file(column), _write_column(column, warehouse)) for column in files),
        types=_list_types(files, schemas),
        unavailable=find_absent(others) if options.absent_columns == "keep" else {},
        absent_keys=find_absent([column for column in columns if column.name.lower() in keys]),
        has_casts=any(column.is_cast for column in all_columns),
        key_casts=check(judged.of_key),
        other_casts=check(judged.others),
    )


class _Places:
    """The columns of files that hold a column of the table: one for each type, and each name if it was renamed."""

    def __init__(self, cdc: TableConfig, files: Sequence[FileColumn], warehouse: Warehouse) -> None:
        self._cdc = cdc
        self._warehouse = warehouse
        self._files = [column for column in files if column["type"] != "void"]
        self._of_source = _group_by_name(select_own_columns(cdc, files))

    def __call__(self, column: Column) -> list[Column]:
        """Returns the places of a column of the plan, or of a before image; its present name goes first."""
        if column.key is not None:
            names = [column.name, *column.old_columns]
            places = [place for name in names for place in self._files if place["name"] == name]
        else:
            names = list_names_in_files(self._cdc, column.name)
            places = [place for name in names for place in self._of_source.get(name, [])]
        return [read_part(column, _write_column(place, self._warehouse), place["type"]) for place in places]


def _group_by_name(columns: Iterable[FileColumn]) -> dict[str, list[FileColumn]]:
    groups: dict[str, list[FileColumn]] = {}
    for column in columns:
        if column["type"] != "void":
            groups.setdefault(column["name"].lower(), []).append(column)
    return groups


def _write_place(place: Column, warehouse: Warehouse) -> str:
    """Writes the value of a place; it is cast if the files have several types of the column."""
    sql, raw_type = str(place.sql), str(place.raw_type)
    return write_try_cast(sql, raw_type, place.type, warehouse) if place.is_cast and raw_type != place.type else sql


def _write_control(files: Iterable[FileColumn], name: str | None, warehouse: Warehouse) -> str:
    """Writes a column that DMS adds, as text: of the exact name, else of one that differs in case.

    DMS writes ``Op`` so and no other way.
    """
    own = [column for column in files if name and _name_in_file(column).lower() == name.lower()]
    exact = [column for column in own if _name_in_file(column) == name]
    return write_coalesce(_write_text(column, warehouse) for column in exact or (own if name != "Op" else []))


def _write_text(column: FileColumn, warehouse: Warehouse) -> str:
    sql = _write_column(column, warehouse)
    return sql if column["type"] == "string" else f"cast({sql} as string)"


def _write_column(column: FileColumn, warehouse: Warehouse) -> str:
    return f"raw.{warehouse.quote(_name_in_view(column))}"


def _list_types(files: Iterable[FileColumn], schemas: Iterable[Iterable[FileColumn]]) -> dict[int, dict[str, str]]:
    """The types of the content's columns are those of the view, which may be wider than those of a file."""
    shown = {_name_in_view(column): column for column in files}
    places = ([shown[name] for name in map(_name_in_view, schema) if name in shown] for schema in schemas)
    return {number: {_name_in_file(column): column["type"] for column in own} for number, own in enumerate(places)}


def _name_in_view(column: FileColumn) -> str:
    return str(column.get("column") or column["name"])


def _name_in_file(column: FileColumn) -> str:
    return str(column.get("file_name") or column["name"])


def _list_absent(cdc: TableConfig, columns: Iterable[Column], schema: Iterable[FileColumn]) -> tuple[str, ...]:
    present = {column["name"].lower() for column in schema}
    return tuple(column.name for column in columns if present.isdisjoint(list_names_in_files(cdc, column.name)))
