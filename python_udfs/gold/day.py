"""The day of a run in a query: the literal that the macro `gold_today` writes, another one on another day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

_LITERAL = re.compile(r"date '([^']*)' /\* gold_today \*/")
# In a condition of `config()`, whose Jinja dbt does not render.
_CALL = re.compile(r"\{\{-?\s*gold_today\(\)\s*-?\}\}|\bgold_today\(\)")
_ANY_DAY = "_cdc_today"
# More days are not looked at one by one.
_MOST_DAYS = 31


def read_day(sql: str) -> str:
    """Reads the day that a query was written for; empty: it names none."""
    literal = _LITERAL.search(sql)
    return literal[1] if literal else ""


def hide_day(sql: str) -> str:
    """Writes a query, or a condition that calls `gold_today`, without its day: the same text on each day."""
    return _CALL.sub(f"date '{_ANY_DAY}'", _LITERAL.sub(f"date '{_ANY_DAY}'", sql))


def names_day(sql: str) -> bool:
    """Returns whether a text that `hide_day` has written depends on the day."""
    return _ANY_DAY in sql


def bind_day(sql: str, day: str) -> str:
    """Writes a day into a text that `hide_day` has written, or that was made of one."""
    return sql.replace(_ANY_DAY, day)


def list_days(first: str, last: str) -> Sequence[str]:
    """Lists the days from one to another, both included, whichever is earlier; empty: more than a month of them."""
    begin, end = sorted((date.fromisoformat(first), date.fromisoformat(last)))
    number = (end - begin).days
    return () if number > _MOST_DAYS else [str(begin + timedelta(days=at)) for at in range(number + 1)]
