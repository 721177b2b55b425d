"""Names and values in a statement: quoted, escaped, and safe from everything that handles SQL by its lines."""

from __future__ import annotations

import datetime
import decimal
import re
from typing import Any

from spark_files import names

# Jinja's filter `indent` ends a line at each of these (str.splitlines) and writes a line feed and blanks in its place.
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
# Of private use: a name that has the character itself gets its number, too.
_MARK = "\ue000"
_MARKED = re.compile(f"{_MARK}([0-9a-f]{{4}}){_MARK}")
_TO_MARK = re.compile(f"[{_LINE_ENDS}{_MARK}]")
_TO_ESCAPE = re.compile(f"[\\\\'{_LINE_ENDS}{_MARK}]")


def quoted(name: str) -> str:
    """Write a name as a Spark SQL identifier.

    An identifier has no escapes: the end of a line in it is marked, and `unmarked` puts it back on the way to
    Spark.
    """
    return _TO_MARK.sub(lambda match: f"{_MARK}{ord(match[0]):04x}{_MARK}", names.quoted(name))


def unmarked(sql: str) -> str:
    """The statement with each name as it is."""
    return _MARKED.sub(lambda match: chr(int(match[1], 16)), sql) if _MARK in sql else sql


def literal(value: Any) -> str:
    """Write a Python value as a Spark SQL literal, in which a backslash escapes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, decimal.Decimal)):
        return str(value)
    if isinstance(value, datetime.datetime):
        return f"'{value.isoformat(sep=' ')}'"
    return f"'{_TO_ESCAPE.sub(_escaped, str(value))}'"


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in "\\'" else f"\\u{ord(character):04x}"
