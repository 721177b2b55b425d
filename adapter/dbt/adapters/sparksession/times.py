"""Days and times as Spark casts them to text: Spark has years before 1 and after 9999, and Python has not."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

# The Gregorian calendar repeats itself: so many days are 400 years.
_CYCLE = 146_097
_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def date_text(days: int) -> str:
    """A day, days since 1970, as text."""
    cycles, day = divmod(days, _CYCLE)
    near = date(1970, 1, 1) + timedelta(days=day)
    year = near.year + 400 * cycles
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04}-{near:%m-%d}"


def timestamp_text(micros: int) -> str:
    """A timestamp, microseconds since 1970, as text in UTC."""
    days, rest = divmod(micros, _DAY)
    return f"{date_text(days)} {_EPOCH + timedelta(microseconds=rest):%H:%M:%S.%f}"
