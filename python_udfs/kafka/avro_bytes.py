"""Reads a record of Avro by the letter of its specification ("Binary encoding"), as values that JSON has.

Other readers take more for a record: a union's index from the end of its list, any byte as a boolean, an integer of any
length. Here such bytes are no record.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import Decimal
from functools import partial
from struct import Struct
from typing import Any
from uuid import UUID

# From the bytes of a record and the position of a value to the value and the position behind it.
Read = Callable[[bytes, int], "tuple[Any, int]"]
_FLOAT, _DOUBLE = Struct("<f"), Struct("<d")
# Items that take no byte, such as those of an array of nulls, do not end with the bytes.
_MOST_EMPTY_ITEMS = 1_000_000


class DamagedError(ValueError):
    """Bytes that no writer of Avro writes for the schema."""


def make_reader(schema: Any, named: Mapping[str, Any]) -> Read:
    """Returns the reader of the values of a schema.

    Args:
        schema: as `fastavro.parse_schema` returns it.
        named: its named types.
    """
    return _reader(schema, named, {})


def read_record(read: Read, record: bytes) -> Any:
    """The value in bytes that hold exactly one.

    Bytes are base64; a number that is none is text. A value is as it is stored, and the schema has its meaning. A union
    of several types does not show which one a value has: there dates, times, decimals and UUIDs are text.

    Args:
        read: that of the schema.
        record: a message without its header.

    Raises:
        DamagedError: the bytes are no record of the schema.
        UnicodeDecodeError: a text in it is no UTF-8.
    """
    try:
        value, end = read(record, 0)
    except IndexError:
        raise DamagedError("the bytes end inside of a value") from None
    if end < len(record):
        raise DamagedError(f"{len(record) - end} bytes behind the record")
    return value


def _reader(schema: Any, named: Mapping[str, Any], records: dict[str, list[tuple[str, Read]]]) -> Read:
    if isinstance(schema, str):
        schema = named.get(schema, schema)
    if isinstance(schema, list):
        return _union_reader(schema, named, records)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, (dict, list)):
        return _reader(kind, named, records)
    if kind in ("record", "error"):
        if schema["name"] not in records:
            # Before its fields: a record may hold itself.
            fields = records[schema["name"]] = []
            fields.extend((field["name"], _reader(field["type"], named, records)) for field in schema["fields"])
        return partial(_record, records[schema["name"]])
    if kind == "array":
        return partial(_array, _reader(schema["items"], named, records))
    if kind == "map":
        return partial(_map, partial(_entry, _reader(schema["values"], named, records)))
    if kind == "enum":
        return partial(_enum, schema["symbols"])
    return partial(_fixed, schema["size"]) if kind == "fixed" else _PLAIN[kind]


def _union_reader(types: list[Any], named: Mapping[str, Any], records: dict[str, list[tuple[str, Read]]]) -> Read:
    readers = [_reader(each, named, records) for each in types]
    if len([each for each in types if each != "null"]) > 1:
        readers = [_meaning(each, read, named) for each, read in zip(types, readers, strict=True)]
    return partial(_union, readers)


def _meaning(schema: Any, read: Read, named: Mapping[str, Any]) -> Read:
    """Returns the reader of the text of a logical type; other values as they are stored."""
    from fastavro.read import LOGICAL_READERS  # noqa: PLC0415 - the driver does not need it

    schema = named.get(schema, schema) if isinstance(schema, str) else schema
    if not isinstance(schema, dict) or not isinstance(schema["type"], str):
        return read
    convert = LOGICAL_READERS.get(f"{schema['type']}-{schema.get('logicalType')}")
    if convert is None:
        return read
    of_bytes: dict[str, Read] = {"bytes": _binary, "fixed": partial(_raw_fixed, schema.get("size", 0))}
    stored = of_bytes.get(schema["type"], read)
    return partial(_converted, stored, partial(_text_of, convert, schema))


def _converted(stored: Read, convert: Callable[[Any], Any], data: bytes, at: int) -> tuple[Any, int]:
    value, at = stored(data, at)
    return convert(value), at


def _text_of(convert: Callable[..., Any], schema: Any, stored: Any) -> Any:
    value = convert(stored, schema)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


# Values --------------------------------------------------------------------------------------------------------------


def _long(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    at += 1
    if byte < 128:
        return (byte >> 1) ^ -(byte & 1), at
    number, shift = byte & 127, 0
    while byte > 127:
        shift += 7
        if shift > 63:
            raise DamagedError("an integer of more than 10 bytes")
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
    if not byte:
        raise DamagedError("an integer in more bytes than it needs")
    if number >> 64:
        raise DamagedError("an integer of more than 64 bits")
    return (number >> 1) ^ -(number & 1), at


def _int(data: bytes, at: int) -> tuple[int, int]:
    number, at = _long(data, at)
    if not -(2**31) <= number < 2**31:
        raise DamagedError(f"an int is {number}, expected 32 bits")
    return number, at


def _null(data: bytes, at: int) -> tuple[None, int]:
    return None, at


def _boolean(data: bytes, at: int) -> tuple[bool, int]:
    if data[at] > 1:
        raise DamagedError(f"a boolean is {data[at]}, expected 0 or 1")
    return data[at] == 1, at + 1


def _binary(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = _long(data, at)
    return _raw_fixed(size, data, at)


def _raw_fixed(size: int, data: bytes, at: int) -> tuple[bytes, int]:
    if not 0 <= size <= len(data) - at:
        raise DamagedError(f"the length of a text or of bytes is {size}, expected 0 to {len(data) - at}")
    return data[at : at + size], at + size


def _string(data: bytes, at: int) -> tuple[str, int]:
    text, at = _binary(data, at)
    return text.decode(), at


def _bytes(data: bytes, at: int) -> tuple[str, int]:
    value, at = _binary(data, at)
    return base64.b64encode(value).decode(), at


def _fixed(size: int, data: bytes, at: int) -> tuple[str, int]:
    value, at = _raw_fixed(size, data, at)
    return base64.b64encode(value).decode(), at


def _double(data: bytes, at: int) -> tuple[float | str, int]:
    return _as_json(_unpacked(_DOUBLE, data, at)), at + 8


def _float(data: bytes, at: int) -> tuple[float | str, int]:
    """The shortest number that has these 32 bits: 0.1, not 0.10000000149011612."""
    import numpy as np  # noqa: PLC0415 - the driver does not need it

    return _as_json(float(str(np.float32(_unpacked(_FLOAT, data, at))))), at + 4


def _unpacked(form: Struct, data: bytes, at: int) -> float:
    if len(data) - at < form.size:
        raise IndexError
    value: float = form.unpack_from(data, at)[0]
    return value


def _as_json(value: float) -> float | str:
    """JSON has no number that is none; Connect's converter writes NaN, Infinity and -Infinity as texts."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _enum(symbols: list[str], data: bytes, at: int) -> tuple[str, int]:
    index, at = _long(data, at)
    if not 0 <= index < len(symbols):
        raise DamagedError(f"the index of a symbol is {index}, expected 0 to {len(symbols) - 1}")
    return symbols[index], at


def _union(readers: list[Read], data: bytes, at: int) -> tuple[Any, int]:
    index, at = _long(data, at)
    if not 0 <= index < len(readers):
        raise DamagedError(f"the index of a union is {index}, expected 0 to {len(readers) - 1}")
    return readers[index](data, at)


def _record(fields: list[tuple[str, Read]], data: bytes, at: int) -> tuple[dict[str, Any], int]:
    row = {}
    for name, read in fields:
        row[name], at = read(data, at)
    return row, at


def _array(read: Read, data: bytes, at: int) -> tuple[list[Any], int]:
    return _items(read, data, at)


def _map(read: Read, data: bytes, at: int) -> tuple[dict[str, Any], int]:
    entries, at = _items(read, data, at)
    row = dict(entries)
    if len(row) < len(entries):
        raise DamagedError("a map has a key twice")
    return row, at


def _entry(read: Read, data: bytes, at: int) -> tuple[tuple[str, Any], int]:
    key, at = _string(data, at)
    value, at = read(data, at)
    return (key, value), at


def _items(read: Read, data: bytes, at: int) -> tuple[list[Any], int]:
    """The items of all blocks; before a negative count's items stands their size in bytes."""
    items: list[Any] = []
    while True:
        count, at = _long(data, at)
        if not count:
            return items, at
        size = None
        if count < 0:
            size, at = _long(data, at)
        begin = at
        for number in range(abs(count)):
            item, at = read(data, at)
            items.append(item)
            if at == begin and number > _MOST_EMPTY_ITEMS:
                raise DamagedError(f"{abs(count)} items of an array without a byte")
        if size is not None and size != at - begin:
            raise DamagedError(f"a block of {size} bytes, and its items have {at - begin}")


_PLAIN: dict[str, Read] = {
    **{"null": _null, "boolean": _boolean, "int": _int, "long": _long, "float": _float, "double": _double},
    **{"bytes": _bytes, "string": _string},
}
