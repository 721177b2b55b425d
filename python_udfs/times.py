"""Times as Spark writes them."""

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
