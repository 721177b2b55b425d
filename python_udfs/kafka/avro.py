"""Messages in the wire format of Confluent's schema registry, as the JSON that Kafka Connect's converter would write.

A message is a zero byte, the id of its schema (4 bytes, the highest first) and the record
(docs.confluent.io, "Wire format"). Runs in Spark's Python workers: it needs fastavro, and neither Spark nor a registry.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from functools import lru_cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC, HEADER = b"\x00", 5
# What a message becomes that cannot be read; the reason, and its bytes in base64, follow.
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
Conversion = Callable[[Any], Any]


def schema_id(message: bytes) -> int | None:
    """The id of a message's schema; None where the message is not in the registry's format."""
    is_framed = len(message) >= HEADER and message[:1] == MAGIC
    return int.from_bytes(message[1:HEADER], "big") if is_framed else None


def with_texts(
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
        where it is not in the registry's format. A sentence that begins with `UNREADABLE` where it cannot be read.
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
    except Exception as error:  # whatever fastavro meets in bytes that are no such record
        reason = str(error) if isinstance(error, ValueError) and isinstance(texts, str) else _reason(number, error)
        return f"{UNREADABLE}{reason}{BYTES}{base64.b64encode(message).decode()}".encode()


def _reason(number: int, error: Exception) -> str:
    found = " ".join(f"{type(error).__name__} {error}".split())[:200]
    return f"received bytes that are no record of schema id {number} ({found})"


@lru_cache(maxsize=1000)
def _reader(texts: tuple[str, ...]) -> Callable[[bytes], str]:
    """What makes JSON of the records of a schema; a schema is parsed once."""
    from fastavro import parse_schema, schemaless_reader  # noqa: PLC0415 - only readers of Avro need it

    named: dict[str, Any] = {}
    plain_named: dict[str, Any] = {}
    for text in texts:
        schema = parse_schema(json.loads(text), named)
        # Values stay as they are stored: the schema that goes with them says what they are.
        plain = parse_schema(_stored(json.loads(text)), plain_named)
    convert = _conversion(schema, named, {}) or _same
    head = f'{{"schema":{_json(_described(schema, named))},"payload":'

    def read(record: bytes) -> str:
        file = BytesIO(record)
        value = schemaless_reader(file, plain, None)
        behind = len(record) - file.tell()
        if behind:
            raise ValueError(f"{behind} bytes behind the record")
        return f"{head}{_json(convert(value))}}}"

    return read


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# Schemas -------------------------------------------------------------------------------------------------------------


def _stored(schema: Any) -> Any:
    """A schema whose values are not translated; in a union of several types the value alone says which one it has."""
    if isinstance(schema, list):
        return schema if _only(schema) is None else [_stored(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value for key, value in schema.items() if key != "logicalType"}
    if "fields" in found:
        found["fields"] = [{**field, "type": _stored(field["type"])} for field in found["fields"]]
    return found | {key: _stored(found[key]) for key in ("type", "items", "values") if key in found}


def _only(union: list[Any]) -> Any:
    """The type of a union that is not null; None where there are several."""
    types = [one for one in union if one != "null"]
    return types[0] if len(types) == 1 else None


def _resolved(schema: Any, named: Mapping[str, Any]) -> Any:
    """The definition of a type, of a value that is not null; None for a union of several types."""
    if isinstance(schema, list):
        schema = _only(schema)
    return named.get(schema, schema) if isinstance(schema, str) else schema


def _kind(schema: Any) -> str:
    found = schema.get("type") if isinstance(schema, dict) else schema
    return found if isinstance(found, str) else "union"


def _described(schema: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as Connect's converter writes it beside the values, as far as a connector reads it.

    Those are the fields, and the fields in `after`, which an envelope has.
    """
    schema = _resolved(schema, named)
    found = _type(schema)
    if _kind(schema) == "record":
        found["fields"] = []
        for field in schema["fields"]:
            of_field = _resolved(field["type"], named)
            row = {"field": field["name"], **_type(of_field)}
            if field["name"] == "after" and _kind(of_field) == "record":
                columns = of_field["fields"]
                row["fields"] = [{"field": one["name"], **_type(_resolved(one["type"], named))} for one in columns]
            found["fields"].append(row)
    return found


def _type(schema: Any) -> dict[str, Any]:
    """Type, name and scale. Debezium's converters note Connect's name; of other schemas the logical type is one."""
    kind = _kind(schema)
    found: dict[str, Any] = {"type": _TYPES.get(kind, kind)}
    if not isinstance(schema, dict):
        return found
    logical = schema.get("logicalType")
    name = schema.get("connect.name") or _NAMES.get(logical or "")
    if name:
        found["name"] = name
    if logical == "decimal":
        found["parameters"] = {"scale": str(schema.get("scale", 0))}
    return found


# Values --------------------------------------------------------------------------------------------------------------


def _conversion(schema: Any, named: Mapping[str, Any], known: dict[str, Conversion]) -> Conversion | None:
    """How a value becomes one that JSON has; None where it is one."""
    if isinstance(schema, list) and _only(schema) is None:
        return _of_union
    schema = _resolved(schema, named)
    kind = _kind(schema)
    if kind in ("array", "map"):
        inner = _conversion(schema["items" if kind == "array" else "values"], named, known)
        return inner and partial(_each, inner)
    if kind != "record":
        return _CONVERSIONS.get(kind)
    if schema["name"] not in known:
        parts: list[tuple[str, Conversion]] = []
        # Before its fields: a record may hold itself.
        known[schema["name"]] = partial(_fields, parts)
        for field in schema["fields"]:
            found = _conversion(field["type"], named, known)
            if found:
                parts.append((field["name"], found))
    return known[schema["name"]]


def _fields(parts: list[tuple[str, Conversion]], value: dict[str, Any] | None) -> dict[str, Any] | None:
    for name, convert in parts if value else ():
        if value[name] is not None:  # type: ignore[index]
            value[name] = convert(value[name])  # type: ignore[index]
    return value


def _each(convert: Conversion, values: Any) -> Any:
    if isinstance(values, dict):
        return {key: None if value is None else convert(value) for key, value in values.items()}
    return [None if value is None else convert(value) for value in values]


def _of_union(value: Any) -> Any:
    """A value of a union of several types, by the type that it has."""
    if isinstance(value, (dict, list)):
        return _each(_of_union, value)
    if isinstance(value, bytes):
        return _base64(value)
    if isinstance(value, float):
        return _double(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, (date, time)) else str(value) if isinstance(value, UUID) else value


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _double(value: float) -> float | str:
    """JSON has no number that is none; Connect's converter writes NaN, Infinity and -Infinity as texts."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _float(value: float) -> float | str:
    """The shortest number that has these 32 bits: 0.1, not 0.10000000149011612."""
    import numpy as np  # noqa: PLC0415

    return _double(float(str(np.float32(value))))


def _same(value: Any) -> Any:
    return value


_CONVERSIONS: dict[str, Conversion] = {"bytes": _base64, "fixed": _base64, "double": _double, "float": _float}
