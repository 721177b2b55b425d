"""Casts of values to the types of columns, and how a value is judged that a cast may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.warehouse import Warehouse

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_TIMES = ("date", "timestamp", "timestamp_ntz")
_NESTED = ("array", "map", "struct")

_WHOLE = r"\A[+-]?[0-9]++\z"
_DAY = r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6}+0*+)?+)?+"
_ZONE = r"(?: ?+(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?+))?+"
_PATTERNS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), _WHOLE),
    "boolean": r"\A(?i:true|false|t|f|1|0)\z",
    "date": rf"\A{_DAY}(?:[ T]00:00(?::00(?:\.0++)?+)?+)?+\z",
    "timestamp": rf"\A{_DAY}(?:[ T]{_CLOCK}{_ZONE})?+\z",
    "timestamp_ntz": rf"\A{_DAY}(?:[ T]{_CLOCK}Z?+)?+\z",
}


@dataclass(frozen=True)
class Value:
    """A value that a statement selects.

    Attributes:
        name: of the column.
        sql: expression of the value.
    """

    name: str
    sql: str


@dataclass(frozen=True)
class TextForm:
    """The form that a text has which is a value of a type (docs/architecture.md, Forms of text).

    Attributes:
        kind: `whole`, `decimal`, `float`, `double`; `other` for all other types.
        pattern: of the text; None: each text is a value, or the kind has patterns of its own.
    """

    kind: str
    pattern: str | None = None


@dataclass(frozen=True)
class CastCheck:
    """A value that the type of its column may not hold.

    Attributes:
        name: of the column.
        raw: expression of the value as it came.
        raw_type: of it.
        value: expression of the value in the column's type.
        text: expression of the text that the value came as, or goes through.
        form: that this text has if the cast changes nothing; None: the value is cast back and compared.
        is_nested: whether the value came as JSON.
        expected: the end of a sentence about a value that does not fit.
    """

    name: str
    raw: str
    raw_type: str
    value: str
    text: str
    form: TextForm | None
    is_nested: bool
    expected: str


def is_nested(type_: str) -> bool:
    """Returns whether values of a type have fields or elements."""
    return type_.split("<", maxsplit=1)[0] in _NESTED


def is_direct_cast(from_type: str, to_type: str) -> bool:
    """Returns whether Spark casts between two types.

    It refuses some casts outright, such as a date to a number, and one odd file would stop its table. Between types
    that are not of one kind a value goes through text, so that each value is judged by itself.
    """
    kinds = {from_type.split("(", maxsplit=1)[0], to_type.split("(", maxsplit=1)[0]}
    return "string" in kinds or kinds <= set(_NUMBERS) or kinds <= set(_TIMES)


def write_try_cast(value: str, from_type: str, to_type: str, warehouse: Warehouse) -> str:
    """Writes a cast that Spark accepts between any two types; NULL for a value that does not fit.

    Args:
        value: expression of the value.
        from_type: of it.
        to_type: of the column; a nested value comes as JSON.
        warehouse: writes texts of SQL.
    """
    if is_nested(to_type):
        return f"from_json({value}, {warehouse.string_literal(to_type)})"
    return f"try_cast({value if is_direct_cast(from_type, to_type) else f'cast({value} as string)'} as {to_type})"


def write_bytes(text: str) -> str:
    """Writes the bytes of a text in base64, as messages and old keys have binary values; NULL if it is none."""
    return f"try_to_binary({text}, 'base64')"


def write_value(column: Column, warehouse: Warehouse) -> str:
    """Writes the value of a column in the type of its table; NULL if the batch lacks the column."""
    if column.raw_type is None:
        return f"cast(null as {column.type})"
    name = warehouse.quote(column.name)
    return name if column.raw_type == column.type else write_try_cast(name, column.raw_type, column.type, warehouse)


def plan_checks(
    columns: Iterable[Column], warehouse: Warehouse, has_types: bool = False, command: str = ""
) -> tuple[CastCheck, ...]:
    """Plans the checks of values that the types of their columns may not hold, in the order of the columns.

    Args:
        columns: of a batch, or places in its files.
        warehouse: writes names and texts of SQL.
        has_types: whether the files state types: a sentence then has the type of its value, which
            cdc_received_types_sql reads out of it.
        command: gives the table other types; empty: there is no table.
    """
    return tuple(_plan_check(column, warehouse, has_types, command) for column in columns if column.may_fail)


def _plan_check(column: Column, warehouse: Warehouse, has_types: bool, command: str) -> CastCheck:
    raw, raw_type, type_ = column.sql or warehouse.quote(column.name), str(column.raw_type), column.type
    goes_through_text = raw_type == "string" or not is_direct_cast(raw_type, type_)
    is_retyped = column.is_behind if column.listed_type else has_types
    received = f" of type {raw_type}" if has_types else ""
    advice = f": run {command}" if command and is_retyped else ""
    return CastCheck(
        name=column.name,
        raw=raw,
        raw_type=raw_type,
        value=write_try_cast(raw, raw_type, type_, warehouse),
        text=raw if raw_type == "string" else f"cast({raw} as string)",
        form=_form_of(type_) if goes_through_text and not is_nested(type_) else None,
        is_nested=is_nested(type_),
        expected=f"{received}, expected {type_}{advice}",
    )


def _form_of(type_: str) -> TextForm:
    kind = type_.split("(", maxsplit=1)[0]
    if kind == "decimal":
        scale = type_.rsplit(",", maxsplit=1)[-1].rstrip(")")
        digits = rf"[0-9]{{0,{scale}}}+0*+"
        return TextForm("decimal", rf"\A[+-]?(?:[0-9]++(?:\.{digits})?+|\.(?=[0-9]){digits})\z")
    if kind in ("float", "double"):
        return TextForm(kind)
    pattern = _PATTERNS.get(kind)
    return TextForm("whole" if pattern == _WHOLE else "other", pattern)
