"""Messages in the wire format of Confluent's schema registry, as the JSON that Kafka Connect's converter would write.

A message is a zero byte, the id of its schema (4 bytes, the highest first) and the record
(docs.confluent.io, "Wire format"). Runs in Spark's Python workers: it needs fastavro, and neither Spark nor a registry.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from python_udfs.kafka.avro_bytes import DamagedError, make_reader, read_record

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC, HEADER = b"\x00", 5
# Beginning of the text of a message that cannot be read; the reason, and its bytes in base64, follow.
UNREADABLE, BYTES = "message of a schema registry that cannot be read: ", "; in base64: "
# The texts of a schema and of those it refers to, which come first; or why there is none.
Schemas = Mapping[int, "tuple[str, ...] | str"]
JSON_SCHEMA = ("JSON",)
# A batch of Arrow holds at most 2 GB of text.
LARGEST_BATCH = 64 * 1024 * 1024

_NAMES = {
    "date": "org.apache.kafka.connect.data.Date",
    "time-millis": "org.apache.kafka.connect.data.Time",
    "time-micros": "io.debezium.time.MicroTime",
    "timestamp-millis": "org.apache.kafka.connect.data.Timestamp",
    "timestamp-micros": "io.debezium.time.MicroTimestamp",
    "timestamp-nanos": "io.debezium.time.NanoTimestamp",
    "local-timestamp-millis": "org.apache.kafka.connect.data.Timestamp",
    "local-timestamp-micros": "io.debezium.time.MicroTimestamp",
    "local-timestamp-nanos": "io.debezium.time.NanoTimestamp",
    "decimal": "org.apache.kafka.connect.data.Decimal",
}
_TYPES = {"int": "int32", "long": "int64", "fixed": "bytes", "enum": "string", "record": "struct"}


def schema_id(message: bytes) -> int | None:
    """The id of a message's schema; None if the message is not in the registry's format."""
    is_framed = len(message) >= HEADER and message[:1] == MAGIC
    return int.from_bytes(message[1:HEADER], "big") if is_framed else None


def replace_messages(
    batches: Iterable[pa.RecordBatch], schemas: Schemas, columns: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    """Replaces messages by their text, for `DataFrame.mapInArrow`.

    Args:
        batches: of Kafka's rows.
        schemas: by id, those of all messages.
        columns: names of the columns to replace: binary comes in, text of `text_of` goes out.
    """
    import pyarrow as pa  # noqa: PLC0415 - the driver does not need it

    for batch in batches:
        start, size, texts = 0, 0, {name: list[bytes | None]() for name in columns}
        for row in range(batch.num_rows):
            for name in columns:
                message = batch.column(name)[row].as_py()
                text = None if message is None else text_of(message, schemas)
                texts[name].append(text)
                size += len(text or b"")
            if size >= LARGEST_BATCH or row == batch.num_rows - 1:
                part = batch.slice(start, row + 1 - start)
                for name in columns:
                    at = part.schema.get_field_index(name)
                    part = part.set_column(at, name, pa.array(texts[name], part.schema.field(at).type))
                yield part
                start, size, texts = row + 1, 0, {name: [] for name in columns}


def text_of(message: bytes, schemas: Schemas) -> bytes:
    """A message as JSON, in UTF-8.

    Args:
        message: its bytes.
        schemas: by id.

    Returns:
        `{"schema": …, "payload": …}` of an Avro record, the text of a message with a JSON schema, the message itself
        if it is not in the registry's format. A sentence that begins with `UNREADABLE` if it cannot be read.
    """
    number = schema_id(message)
    if number is None:
        return message
    texts = schemas.get(number, f"schema id {number} was not asked for")
    try:
        if isinstance(texts, str):
            raise ValueError(texts)
        if texts == JSON_SCHEMA:
            return message[HEADER:]
        return _reader(texts)(message[HEADER:]).encode()
    except Exception as error:  # also of a schema that fastavro does not take, or a record that is nested too deep
        reason = str(error) if isinstance(error, ValueError) and isinstance(texts, str) else _reason(number, error)
        return f"{UNREADABLE}{reason}{BYTES}{base64.b64encode(message).decode()}".encode()


def _reason(number: int, error: Exception) -> str:
    named = str(error) if isinstance(error, DamagedError) else f"{type(error).__name__} {error}"
    reason = " ".join(named.split())[:200]
    return f"received bytes that are no record of schema id {number} ({reason})"


@lru_cache(maxsize=1000)
def _reader(texts: tuple[str, ...]) -> Callable[[bytes], str]:
    """Returns the function that makes JSON of the records of a schema; a schema is parsed once."""
    from fastavro import parse_schema  # noqa: PLC0415 - only readers of Avro need it

    named: dict[str, Any] = {}
    for text in texts:
        schema = parse_schema(json.loads(text), named)
    read_value = make_reader(schema, named)
    head = f'{{"schema":{_json(_described(schema, named))},"payload":'

    def read(record: bytes) -> str:
        return f"{head}{_json(read_record(read_value, record))}}}"

    return read


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# Schemas -------------------------------------------------------------------------------------------------------------


def _only(union: list[Any]) -> Any:
    """The type of a union that is not null; None if there are several."""
    types = [branch for branch in union if branch != "null"]
    return types[0] if len(types) == 1 else None


def _resolved(schema: Any, named: Mapping[str, Any]) -> Any:
    """The definition of a type, of a value that is not null; None for a union of several types."""
    if isinstance(schema, list):
        schema = _only(schema)
    return named.get(schema, schema) if isinstance(schema, str) else schema


def _kind(schema: Any) -> str:
    type_name = schema.get("type") if isinstance(schema, dict) else schema
    return type_name if isinstance(type_name, str) else "union"


def _described(schema: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as Connect's converter writes it beside the values, as far as a connector reads it.

    Those are the fields, and the fields in `after`, which an envelope has.
    """
    schema = _resolved(schema, named)
    described = _type(schema)
    if _kind(schema) == "record":
        described["fields"] = []
        for field in schema["fields"]:
            of_field = _resolved(field["type"], named)
            row = {"field": field["name"], **_type(of_field)}
            if field["name"] == "after" and _kind(of_field) == "record":
                columns = of_field["fields"]
                row["fields"] = [
                    {"field": column["name"], **_type(_resolved(column["type"], named))} for column in columns
                ]
            described["fields"].append(row)
    return described


def _type(schema: Any) -> dict[str, Any]:
    """Type, name and scale. Debezium's converters note Connect's name; of other schemas the logical type is one."""
    kind = _kind(schema)
    described: dict[str, Any] = {"type": _TYPES.get(kind, kind)}
    if not isinstance(schema, dict):
        return described
    logical = schema.get("logicalType")
    name = schema.get("connect.name") or _NAMES.get(logical or "")
    if name:
        described["name"] = name
    if logical == "decimal":
        described["parameters"] = {"scale": str(schema.get("scale", 0))}
    return described
