"""Writes the files that a Kafka sink makes of Debezium's messages of a MySQL database, byte for byte repeatable.

Envelopes without a schema, one per line (docs/feeds/debezium_format.md and s3_sink.md), as Debezium 3.5 sends them with
`replace.null.with.default=false`. Nothing here needs Spark.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from python_udfs.sample_data.dms_writer import Change, Column, Row, SourceTable, store_object, utc

OPERATIONS = {"I": "c", "U": "u", "D": "d"}
BINARY_LOG = "mysql-bin.000009"
FIRST_POSITION = 157
# How far the binary log grows with each statement.
STATEMENT_SIZE = 311
# From the commit of a change to the connector's handling of it.
DELAY = timedelta(milliseconds=500)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Message:
    """A message in its topic: ``offset`` is its number there, ``value`` the JSON object."""

    topic: str
    offset: int
    value: Mapping[str, Any]


@dataclass
class Connector:
    """A connector that captures one database, and the sink behind it.

    It counts positions of the binary log and offsets of the topics, ``<prefix>.<database>.<table>`` with one partition
    each, so it gets everything that was sent in order, also what shall not be written.

    ``root`` is the feed's location, for the bucket; ``prefix`` is Debezium's ``topic.prefix``.
    """

    root: Path
    prefix: str
    _position: int = field(default=FIRST_POSITION, init=False)
    _offsets: Counter[str] = field(default_factory=Counter, init=False)

    def snapshot(self, tables: Iterable[tuple[SourceTable, Sequence[Row]]], read_at: datetime) -> list[Message]:
        """The messages of an initial snapshot, op ``r``; all have the position at which it began (debezium_format.md).

        Args:
            tables: tables and their rows.
            read_at: when it was taken, UTC if naive.

        Raises:
            ValueError: a column of a type that is not known here.
        """
        rows = [(table, row) for table, rows in tables for row in rows]
        words = {0: "first", len(rows) - 1: "last"}
        return [
            self._sent(
                table,
                envelope(
                    *(table, Change("I", row, read_at), self._position, self.prefix), snapshot=words.get(number, "true")
                ),
            )
            for number, (table, row) in enumerate(rows)
        ]

    def changes(self, changes: Iterable[tuple[SourceTable, Change]]) -> list[Message]:
        """The messages of changes in commit order, one statement each.

        Args:
            changes: tables and their statements; ``before`` of an update has the old values.

        Raises:
            ValueError: a column of a type that is not known here.
        """
        messages = []
        for table, change in changes:
            self._position += STATEMENT_SIZE
            messages.append(self._sent(table, envelope(table, change, self._position, self.prefix)))
            # A tombstone follows each delete; the sink leaves it out, its offset is a gap (debezium_format.md).
            self._offsets[messages[-1].topic] += change.operation == "D"
        return messages

    def write(self, messages: Iterable[Message], written_at: datetime) -> list[Path]:
        """Writes one file per topic, named after the offset of its first message.

        Args:
            messages: messages in the order of their offsets.
            written_at: modification time of every file, UTC if naive.

        Returns:
            The files in the order of the topics' first messages.
        """
        of_topic: dict[str, list[Message]] = defaultdict(list)
        for message in messages:
            of_topic[message.topic].append(message)
        return [
            write_messages(self.root, topic, [message.value for message in sent], sent[0].offset, written_at)
            for topic, sent in of_topic.items()
        ]

    def _sent(self, table: SourceTable, value: Mapping[str, Any]) -> Message:
        topic = f"{self.prefix}.{table.schema}.{table.name}"
        message = Message(topic, self._offsets[topic], value)
        self._offsets[topic] += 1
        return message


def envelope(
    table: SourceTable, change: Change, position: int, prefix: str = "source", *, snapshot: str | None = None
) -> dict[str, Any]:
    """Debezium's envelope of one change of a MySQL table (docs/feeds/debezium_format.md).

    Args:
        table: the table; types of its columns are read as for DMS, and a timestamp without a zone is a DATETIME(6).
        change: the statement; columns that its row lacks are NULL.
        position: position in the binary log.
        prefix: Debezium's ``topic.prefix``.
        snapshot: for a row of a snapshot ``true``, ``first`` or ``last``; None: a change.

    Raises:
        ValueError: a column of a type that is not known here.
    """
    committed_at = utc(change.committed_at)
    source = {
        **{"version": "3.5.0.Final", "connector": "mysql", "name": prefix, "ts_ms": _milliseconds(committed_at)},
        **{"snapshot": snapshot, "db": table.schema, "sequence": None},
        **{"ts_us": _microseconds(committed_at), "ts_ns": _microseconds(committed_at) * 1000},
        **{"table": table.name, "server_id": 0 if snapshot else 1, "gtid": None},
        **{"file": BINARY_LOG, "pos": position, "row": 0, "thread": None, "query": None},
    }
    before = {"I": None, "U": {**change.row, **change.before}, "D": change.row}[change.operation]
    handled_at = committed_at + DELAY
    return {
        "before": None if before is None else _image(table, before),
        "after": None if change.operation == "D" else _image(table, change.row),
        "source": source,
        "transaction": None,
        "op": "r" if snapshot else OPERATIONS[change.operation],
        "ts_ms": _milliseconds(handled_at),
        "ts_us": _microseconds(handled_at),
        "ts_ns": _microseconds(handled_at) * 1000,
    }


def write_messages(
    root: Path, topic: str, messages: Iterable[Mapping[str, Any]], offset: int, written_at: datetime
) -> Path:
    """Writes messages as the S3 sink does, one per line: ``topics/<topic>/partition=0/<topic>+0+<offset>.json``.

    Args:
        root: the bucket.
        topic: the topic.
        messages: JSON objects.
        offset: that of the first message in partition 0.
        written_at: modification time of the file, UTC if naive.

    Returns:
        The file.
    """
    lines = [json.dumps(message, ensure_ascii=False, separators=(",", ":")) for message in messages]
    path = root / "topics" / topic / "partition=0" / f"{topic}+0+{offset:010d}.json"
    return store_object(path, "".join(f"{line}\n" for line in lines).encode(), written_at)


def _image(table: SourceTable, row: Row) -> dict[str, Any]:
    return {column.name: _value(column, row.get(column.name)) for column in table.columns}


def _value(column: Column, value: Any) -> Any:
    """A value as the JSON converter writes it, with the connector's default modes (docs/feeds/debezium_format.md)."""
    types = pa.types
    kind = column.type
    if not (types.is_string(kind) or types.is_integer(kind) or types.is_decimal(kind) or types.is_timestamp(kind)):
        raise ValueError(
            f"Column {column.name} (Debezium): no rendering for type {kind}; expected string, an integer, decimal or "
            "timestamp."
        )
    if value is None or types.is_string(kind) or types.is_integer(kind):
        return value
    if types.is_decimal(kind):
        return _connect_decimal(Decimal(value), kind.scale)
    moment = utc(value)
    if kind.tz is None:
        return _microseconds(moment)
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def _connect_decimal(value: Decimal, scale: int) -> str:
    """Base64 of the digits as a big-endian number in two's complement, as short as it can be."""
    digits = int(value.scaleb(scale))
    size = (digits if digits >= 0 else ~digits).bit_length() // 8 + 1
    return base64.b64encode(digits.to_bytes(size, "big", signed=True)).decode()


def _milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def _microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)
