"""The layout of messages: the entries of their images that hold the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from python_udfs.connectors.topic_offsets import offset_sql, partition_sql
from python_udfs.pipeline.casts import Value, write_bytes
from python_udfs.pipeline.columns import Column, list_literals, write_entry
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Warehouse


@dataclass(frozen=True)
class BinaryValue:
    """A binary value of a message, whose text has to be base64.

    Attributes:
        name: of the column, or of the before image of a key column.
        text: expression of the text.
        value: expression of the bytes; NULL if the text is no base64.
        is_key: whether a delete needs it, too.
    """

    name: str
    text: str
    value: str
    is_key: bool


@dataclass(frozen=True)
class MessageLayout:
    """Where the values of a table's messages stand.

    Attributes:
        offset: expression of the offset of the message in its topic.
        partition: expression of a text that all messages of its partition share.
        loads_after: rows of snapshots behind this position are ordered by their own one; None: all precede the changes.
        values: of the columns of the table.
        binary: those of them that have to be base64, and the before images of the key that have to be.
        unavailable: SQL conditions by the names of columns: the message does not carry the value.
        absent_keys: likewise of columns of the key: the image lacks the column.
    """

    offset: str
    partition: str
    loads_after: str | None
    values: tuple[Value, ...]
    binary: tuple[BinaryValue, ...]
    unavailable: Mapping[str, str]
    absent_keys: Mapping[str, str]


def lay_out_messages(
    cdc: TableConfig, columns: Sequence[Column], loads_after: str | None, warehouse: Warehouse
) -> MessageLayout:
    """Lays out the messages of a table.

    Args:
        cdc: the description of the table.
        columns: the plan of its columns.
        loads_after: as in `MessageLayout`.
        warehouse: writes names and texts of SQL.
    """
    keys = {key.lower() for key in cdc.primary_key}
    keeps_absent = cdc.options.absent_columns == "keep"
    names = {column.name: list_literals(cdc, column, warehouse) for column in columns}
    texts = {name: write_entry("raw.image", names[name]) for name in names}
    binary = [
        BinaryValue(
            column.name,
            texts[column.name],
            write_bytes(texts[column.name]),
            column.name.lower() in keys,
        )
        for column in columns
        if column.has_bytes
    ]
    before = [
        BinaryValue(f"before image of {column.name}", text, write_bytes(text), is_key=False)
        for column in binary
        if column.is_key
        for text in [write_entry("raw.before", names[column.name])]
    ]
    values = texts | {column.name: column.value for column in binary}
    absent = {name: " and ".join(map(_write_is_absent, names[name])) for name in names}
    unavailable = {
        # A value that is there under any name is carried.
        column.name: absent[column.name]
        if keeps_absent
        else " or ".join(f"array_contains(raw.unavailable, {literal})" for literal in names[column.name])
        for column in columns
        if column.name.lower() not in keys
    }
    return MessageLayout(
        offset=offset_sql(cdc.connector, "raw.file_key", "raw.file_row"),
        partition=partition_sql("raw.file_key"),
        loads_after=loads_after,
        values=tuple(Value(column.name, values[column.name]) for column in columns if column.raw_type is not None),
        binary=(*binary, *before),
        unavailable=unavailable,
        absent_keys={column.name: absent[column.name] for column in columns if column.name.lower() in keys},
    )


def _write_is_absent(literal: str) -> str:
    return f"not map_contains_key(raw.image, {literal})"
