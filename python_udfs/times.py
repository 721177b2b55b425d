"""Times as Spark writes them, and durations for people."""

from __future__ import annotations

from datetime import datetime, timezone


def time_of(text: str | None) -> datetime | None:
    """A timestamp in UTC: as Spark writes it in JSON, or cast to text. None stays None.

    Raises:
        ValueError: the text is no time.
    """
    if not text:
        return None
    # Python 3.10 knows no Z, and only three or six digits of a second.
    whole, _, fraction = text.removesuffix("Z").replace(" ", "T").partition(".")
    return datetime.fromisoformat(f"{whole}.{fraction[:6]:0<6}").replace(tzinfo=timezone.utc)


def duration_text(seconds: int) -> str:
    """A duration in its largest whole unit: ``42 s``, ``7 min``, ``3 h``, ``2,900 days``."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"
