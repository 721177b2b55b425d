"""When a table is late: the one home of the rule for alerts, the report and Airflow."""

from __future__ import annotations

from datetime import datetime

from python_udfs.times import duration_text


def measure_lag(now: datetime, newest: datetime | None) -> float | None:
    """Returns how long ago the newest change of a table was made at the source, in seconds.

    It also grows while nothing happens there. None: the table has no change yet.
    """
    return (now - newest).total_seconds() if newest else None


def is_late(lag: float | None, limit: float | None) -> bool:
    """Returns whether a lag is over its limit, both in seconds; a table without either is not late."""
    return lag is not None and limit is not None and lag > limit


def describe_lateness(lag: float | None, limit: float | None) -> str | None:
    """Returns lag and limit, given in seconds, for people; None if the table is not late."""
    if lag is None or limit is None or not is_late(lag, limit):
        return None
    return f"lag {duration_text(int(lag))}, limit {duration_text(int(limit))}"
