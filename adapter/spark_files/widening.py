"""The narrowest type that holds the values of two types without loss, and schemas merged by it."""

from __future__ import annotations

import re

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

# Text shows each value of these types exactly, so a column that has several of them is read as text.
_AS_TEXT = (
    StringType, BooleanType, ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType,
    TimestampType, TimestampNTZType,
)  # fmt: skip
_INTEGERS: list[type[DataType]] = [ByteType, ShortType, IntegerType, LongType]
# Decimal digits of each integer type; Spark's Parquet reader wants 20 for a bigint, though 19 would hold it.
_DIGITS: dict[type[DataType], int] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 20}


def widen(left: DataType, right: DataType) -> DataType | None:
    """Return the type that holds the values of both without loss, or None if there is none.

    A column without a type takes that of the other one. Wider are: integers of more bytes, double for float and for
    integers up to int (a bigint does not fit), decimals with enough digits on both sides of the point; within arrays,
    maps and structs the same. Struct fields are matched by name.
    """
    if left == right:
        return left
    if isinstance(left, NullType) or isinstance(right, NullType):
        return right if isinstance(left, NullType) else left
    for first, other in ((left, right), (right, left)):
        wider = _wider(first, other)
        if wider is not None:
            return wider
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return _decimal(max(left.precision - left.scale, right.precision - right.scale), max(left.scale, right.scale))
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        element = widen(left.elementType, right.elementType)
        return ArrayType(element) if element is not None else None
    if isinstance(left, MapType) and isinstance(right, MapType):
        key, value = widen(left.keyType, right.keyType), widen(left.valueType, right.valueType)
        return MapType(key, value) if key is not None and value is not None else None
    if isinstance(left, StructType) and isinstance(right, StructType):
        merged, conflict = merge_structs(left, right)
        return merged if conflict is None else None
    return None


def _wider(narrow: DataType, wide: DataType) -> DataType | None:
    """The type for an integer or float type `narrow` and a type `wide` that may hold it; None if it cannot."""
    if type(narrow) in _INTEGERS:
        if type(wide) in _INTEGERS and _INTEGERS.index(type(narrow)) < _INTEGERS.index(type(wide)):
            return wide
        if isinstance(wide, (FloatType, DoubleType)) and not isinstance(narrow, LongType):
            return DoubleType()
        if isinstance(wide, DecimalType):
            return _decimal(max(_DIGITS[type(narrow)], wide.precision - wide.scale), wide.scale)
    if isinstance(narrow, FloatType) and isinstance(wide, DoubleType):
        return wide
    return None


def _decimal(whole: int, scale: int) -> DecimalType | None:
    return DecimalType(whole + scale, scale) if whole + scale <= 38 else None


def _merged(left: DataType, right: DataType) -> DataType | None:
    wider = widen(left, right)
    if wider is None and isinstance(left, _AS_TEXT) and isinstance(right, _AS_TEXT):
        return StringType()
    return wider


def as_stored(wanted: DataType, own: DataType) -> DataType:
    """The type to read a column of a file with: the fields of the wanted type, each with the type it has in the file.

    Not each release of Spark reads a number of a file as a wider one.

    Args:
        wanted: what the column becomes by a cast; a schema for all columns.
        own: what it is in the file.
    """
    if isinstance(wanted, StructType) and isinstance(own, StructType):
        types = {field.name.lower(): field.dataType for field in own.fields}
        return StructType(
            [
                StructField(field.name, as_stored(field.dataType, types.get(field.name.lower(), field.dataType)), True)
                for field in wanted.fields
            ]
        )
    if isinstance(wanted, ArrayType) and isinstance(own, ArrayType):
        return ArrayType(as_stored(wanted.elementType, own.elementType))
    if isinstance(wanted, MapType) and isinstance(own, MapType):
        return MapType(as_stored(wanted.keyType, own.keyType), as_stored(wanted.valueType, own.valueType))
    return wanted if isinstance(own, NullType) else own


def merge_structs(left: StructType, right: StructType) -> tuple[StructType, str | None]:
    """Merge two schemas by column name, ignoring case; columns only `right` has come last.

    Two types that none holds without loss become text, where text shows the values of both.

    Returns:
        The merged schema, and the first conflict in words (None: no conflict). `right` is 'here' in those words.
    """
    fields = {field.name.lower(): field for field in left.fields}
    for field in right.fields:
        present = fields.get(field.name.lower())
        data_type = field.dataType if present is None else _merged(present.dataType, field.dataType)
        if present is not None and data_type is None:
            return left, (
                f"column {field.name!r} is {field.dataType.simpleString()} here and {present.dataType.simpleString()}"
                " in the other files; no type holds both without loss"
            )
        name = field.name if present is None else present.name
        fields[field.name.lower()] = StructField(name, data_type, True)  # type: ignore[arg-type]
    return StructType(list(fields.values())), None


def merge_schemas(
    groups: list[tuple[StructType, list[str]]],
) -> tuple[StructType | None, list[tuple[StructType, list[str]]], list[dict[str, str]]]:
    """Merge the schemas of groups of files; where two do not fit, the group with more files stays.

    Returns:
        Merged schema (None: no group), the schemas to read with and the paths to read with each, and path and reason
        of the files that fit no such schema.
    """
    merged: StructType | None = None
    conflicts: dict[str, str] = {}
    for schema, paths in sorted(groups, key=lambda group: -len(group[1])):
        candidate, conflict = merge_structs(merged, schema) if merged is not None else (schema, None)
        if conflict is not None:
            conflicts.update(dict.fromkeys(paths, conflict))
        else:
            merged = candidate
    reads: dict[str, tuple[StructType, list[str]]] = {}
    for schema, paths in groups:
        if merged is not None and paths[0] not in conflicts:
            stored = as_stored(merged, schema)
            assert isinstance(stored, StructType)
            reads.setdefault(stored.json(), (stored, []))[1].extend(paths)
    return merged, list(reads.values()), [{"path": path, "reason": reason} for path, reason in conflicts.items()]


def is_promotion(from_type: str, to_type: str) -> bool:
    """Whether Iceberg can change a column from one type to another in place (its specification, "Schema evolution").

    Args:
        from_type: the type that the column has, as Spark writes it in lower case, such as `decimal(10,2)`.
        to_type: the type that it gets.
    """
    if (from_type, to_type) in (("int", "bigint"), ("float", "double")):
        return True
    digits = [re.fullmatch(r"decimal\((\d+),(\d+)\)", written) for written in (from_type, to_type)]
    if None in digits:
        return False
    (from_precision, from_scale), (to_precision, to_scale) = (map(int, match.groups()) for match in digits if match)
    return from_scale == to_scale and to_precision > from_precision


def holds(wide: str, narrow: str) -> bool:
    """Whether a type holds each value of another one without loss; text counts for itself alone.

    Args:
        wide: a type as Spark writes it in lower case, such as `decimal(10,2)`.
        narrow: the other one.
    """
    parsed = _parse(wide), _parse(narrow)
    if wide == narrow or None in parsed:
        return wide == narrow
    return widen(parsed[0], parsed[1]) == parsed[0]  # type: ignore[arg-type]


def common_type(left: str, right: str) -> str | None:
    """The narrowest type that holds the values of two types without loss, text if text shows the values of both.

    Args:
        left: a type as Spark writes it in lower case.
        right: the other one.

    Returns:
        The type in the same form; None if no type holds both.
    """
    if left == right:
        return left
    parsed = _parse(left), _parse(right)
    if None in parsed:
        return None
    merged = _merged(parsed[0], parsed[1])  # type: ignore[arg-type]
    return merged.simpleString() if merged is not None else None


def _parse(written: str) -> DataType | None:
    """A type without parts, from the form in which Spark writes it; None for binary and nested types."""
    digits = re.fullmatch(r"decimal\((\d+),(\d+)\)", written)
    if digits:
        return DecimalType(*map(int, digits.groups()))
    return next(
        (
            data_type()
            for data_type in _AS_TEXT
            if data_type is not DecimalType and data_type().simpleString() == written
        ),
        None,
    )
