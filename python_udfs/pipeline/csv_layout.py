"""The layout of CSV records: where their values stand, and how the names of a header are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from python_udfs.connectors.csv_patterns import CsvPatterns, read_patterns
from python_udfs.metadata.names import file_name
from python_udfs.metadata.options import ReadOptions
from python_udfs.pipeline.casts import write_value
from python_udfs.pipeline.columns import Column, list_names_in_files, write_coalesce
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Warehouse

# Before the names of DMS's own columns in a header as statements have it: a column op of the source is not Op.
MARK = "="


@dataclass(frozen=True)
class OptionalColumn:
    """A column that a record may lack.

    Attributes:
        name: of the column.
        position: among all values of a record, from 1.
        value: expression of its value in the type of the table.
    """

    name: str
    position: int
    value: str


@dataclass(frozen=True)
class CsvLayout:
    """Where the values of a CSV table's records stand (docs/feeds/dms_format.md, Row layout).

    A position is an SQL expression, from 1; NULL for a column that the header lacks.

    Attributes:
        patterns: of the table's text.
        has_header: whether the first line of a file names the fields.
        is_split: whether the table has records of multi-table files.
        lead: SQL of the number of fields before the values; records with a header have none.
        least: number of values that a record has without a header.
        most: number of values that it may have.
        charset: of the files.
        null_words_sql: texts, divided by commas, that are NULL without quotes.
        operation: position of the operation; `null`: the files have none.
        timestamp: likewise.
        change_sequence: likewise; None: the feed has none.
        positions: of the values, by the names of their columns; before images are among them.
        unavailable: SQL conditions by the names of columns: the record does not carry the value.
        absent_keys: likewise of columns of the key: the header lacks the column.
        exact_names: names of DMS's own columns in a header that count as they are written, and what they become.
        near_names: those for which another one counts that differs in case, if no field has the exact name; likewise.
        own_names_sql: texts, divided by commas: names of which each header has one, in lower case.
        empty_fields_sql: likewise: fields that may stand under no name.
        optional: columns that a record without a header may lack.
    """

    patterns: CsvPatterns
    has_header: bool
    is_split: bool
    lead: str
    least: int
    most: int
    charset: str
    null_words_sql: str
    operation: str
    timestamp: str
    change_sequence: str | None
    positions: Mapping[str, str]
    unavailable: Mapping[str, str]
    absent_keys: Mapping[str, str]
    exact_names: Mapping[str, str]
    near_names: Mapping[str, str]
    own_names_sql: str
    empty_fields_sql: str
    optional: tuple[OptionalColumn, ...]


def lay_out_csv(
    cdc: TableConfig, columns: Sequence[Column], warehouse: Warehouse, before_images: Sequence[Column] = ()
) -> CsvLayout:
    """Lays out the records of a CSV table.

    Args:
        cdc: the description of the table.
        columns: the plan of its columns.
        warehouse: writes names and texts of SQL.
        before_images: of the key.
    """
    options, has_header = cdc.options, cdc.options.header
    operation = "Op" if options.operation_column != "never" else None
    timestamp, sequence = options.timestamp_column, options.change_sequence_column
    null_words, unavailable_value = options.null_values, options.unavailable_value
    positions = _Positions(cdc, warehouse)
    keys = {key.lower() for key in cdc.primary_key}

    def write_texts(texts: Iterable[str | None]) -> str:
        return ", ".join(warehouse.string_literal(text) for text in texts if text is not None)

    def mark(names: Iterable[str | None]) -> dict[str, str]:
        return {name: f"{MARK}{name.lower()}" for name in names if name}

    return CsvLayout(
        patterns=read_patterns(options.delimiter),
        has_header=has_header,
        is_split=bool(cdc.split),
        lead=_write_lead(cdc),
        least=sum(not column.optional for column in cdc.columns),
        most=len(cdc.columns),
        charset=options.charset,
        null_words_sql=write_texts([*null_words, unavailable_value]),
        operation=positions.of_control(operation, "1"),
        timestamp=positions.of_control(timestamp, "_cdc_lead"),
        change_sequence=positions.of_added(sequence) if sequence else None,
        positions={
            **{column.name: positions.of(column.name) for column in columns if column.raw_type is not None},
            **{image.name: positions.of_image(image) for image in before_images if image.raw_type is not None},
        },
        unavailable=_list_unavailable(
            options, [column for column in columns if column.name.lower() not in keys], positions, warehouse
        ),
        absent_keys={
            column.name: f"{positions.of(column.name)} is null"
            for column in columns
            if has_header and column.name.lower() in keys
        },
        exact_names=mark([operation, *(name for image in before_images for name in (image.name, *image.old_columns))]),
        near_names=mark([timestamp, sequence]),
        own_names_sql=write_texts(_list_own_names(cdc)),
        empty_fields_sql=write_texts([*null_words, "", '""']),
        optional=_list_optional_columns(cdc, columns, warehouse),
    )


class _Positions:
    """Where the fields of a record stand: by name with a header, else after DMS's own fields."""

    def __init__(self, cdc: TableConfig, warehouse: Warehouse) -> None:
        self._cdc = cdc
        self._warehouse = warehouse
        self._has_header = cdc.options.header
        self._numbers = {column.name.lower(): number for number, column in enumerate(cdc.columns, start=1)}

    def of(self, name: str) -> str:
        """Writes the position of a column of the source."""
        if not self._has_header:
            return f"_cdc_lead + {self._numbers[name.lower()]}"
        in_files = [file_name(other) for other in list_names_in_files(self._cdc, name)]
        return write_coalesce(
            f"nullif(array_position(_cdc_header, {self._warehouse.string_literal(other)}), 0)" for other in in_files
        )

    def of_added(self, name: str) -> str:
        """Writes the position of a column that DMS adds behind those of the source."""
        return self.of(f"{MARK}{name}" if self._has_header else name)

    def of_image(self, image: Column) -> str:
        """Writes the position of a before image; a header has one of its names."""
        names = (image.name, *image.old_columns) if self._has_header else (image.name,)
        return write_coalesce(dict.fromkeys(self.of_added(name.lower()) for name in names))

    def of_control(self, name: str | None, position: str) -> str:
        """Writes the position of a column that DMS adds before those of the source.

        Args:
            name: that a header has for it; None: the files have none.
            position: that it has without a header.
        """
        if not name:
            return "null"
        return self.of_added(name) if self._has_header else position


def _list_optional_columns(
    cdc: TableConfig, columns: Iterable[Column], warehouse: Warehouse
) -> tuple[OptionalColumn, ...]:
    """Before images and the change sequence are in no table and are left out."""
    if cdc.options.header:
        return ()
    by_name = {column.name.lower(): column for column in columns}
    return tuple(
        OptionalColumn(by_name[name].name, position, write_value(by_name[name], warehouse))
        for position, listed in enumerate(cdc.columns, start=1)
        if listed.optional and (name := listed.name.lower()) in by_name
    )


def _write_lead(cdc: TableConfig) -> str:
    """Operation and timestamp; LOAD files have no operation unless operation_column is always.

    Records of multi-table files have table and schema after the operation (docs/feeds/dms_format.md, Transaction
    files).
    """
    timestamps = 1 if cdc.options.timestamp_column else 0
    lead = {
        "auto": f"if(_cdc_kind = 'load', {timestamps}, {timestamps + 1})",
        "always": str(timestamps + 1),
        "never": str(timestamps),
    }[cdc.options.operation_column]
    return f"if(_cdc_kind = 'multi_table', {timestamps + 3}, {lead})" if cdc.split else lead


def _list_unavailable(
    options: ReadOptions, columns: Iterable[Column], positions: _Positions, warehouse: Warehouse
) -> dict[str, str]:
    """A value is unavailable if its field is the unavailable_value, or if absent columns keep theirs."""
    word, keeps_absent = options.unavailable_value, options.absent_columns == "keep"
    unavailable = {}
    for column in columns:
        conditions = []
        if column.raw_type is None:
            conditions += ["true"] if keeps_absent else []
        elif word or keeps_absent:
            position = positions.of(column.name)
            is_absent = f"{position} is null" if options.header else f"size(_cdc_fields) < {position}"
            is_word = f"try_element_at(_cdc_fields, cast({position} as int)) = {warehouse.string_literal(word)}"
            conditions += [*([is_word] if word else []), *([is_absent] if keeps_absent else [])]
        if conditions:
            unavailable[column.name] = " or ".join(conditions)
    return unavailable


def _list_own_names(cdc: TableConfig) -> tuple[str, ...]:
    names = [*(column.name for column in cdc.columns), *cdc.primary_key]
    in_files = (file_name(other).lower() for name in names for other in list_names_in_files(cdc, name))
    return tuple(dict.fromkeys(in_files))
