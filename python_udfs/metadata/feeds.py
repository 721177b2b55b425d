"""Feeds: the rows of ``cdc_feeds.csv``."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from python_udfs.connectors.options import FORMATS, KAFKA_SCHEME
from python_udfs.metadata.files import shown
from python_udfs.metadata.options import FeedOptions, read_options
from python_udfs.paths import is_relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from python_udfs.metadata.files import Row


@dataclass(frozen=True)
class Feed:
    """One row of ``cdc_feeds.csv``. ``location`` has no trailing slash; a URI holds ``://``."""

    feed: str
    connector: str
    format: str
    location: str
    options: FeedOptions
    description: str

    @property
    def is_multi_table(self) -> bool:
        """Whether one file holds changes of many tables (docs/feeds)."""
        return self.connector != "dms" or self.options.transaction_files

    @property
    def is_kafka(self) -> bool:
        """Whether the location is a broker: there are no files to list."""
        return self.options.kafka is not None


def read_feeds(rows: Sequence[Row]) -> dict[str, Feed]:
    """The feeds by name, the first of those that share one."""
    feeds: dict[str, Feed] = {}
    lines: dict[str, int] = {}
    for row in rows:
        if row.broken:
            continue
        name = row["feed"]
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            accepted = "a lower-case letter, then lower-case letters, digits and _"
            row.problem("feed", shown(name), accepted, "Choose such a name.")
        if name in lines:
            received = f"{name!r} again, first in line {lines[name]}"
            row.problem("feed", received, "each feed once", "Rename or remove one of the two.")
            continue
        lines[name] = row.line
        connector = row.word("connector")
        feed = Feed(
            feed=name,
            connector=connector,
            format=row.word("format", FORMATS.get(connector)),
            location=_location(row, feeds.values()),
            options=read_options(row),
            description=row["description"],
        )
        feeds[name] = feed
    return feeds


def _location(row: Row, others: Iterable[Feed]) -> str:
    value = row["location"]
    if not value or ".." in value.split("/"):
        accepted = "a folder relative to the landing root, or a URI with its scheme; without .."
        row.problem("location", shown(value), accepted, "Write for example retail or s3a://bucket/retail.")
        return value
    location = value.rstrip("/") if "://" in value else posixpath.normpath(value)
    if location.startswith(KAFKA_SCHEME):
        # Feeds may share a broker: each names its topics.
        return location
    for other in others:
        if _lies_within(location, other.location) or _lies_within(other.location, location):
            received = f"{value!r}, which holds or lies in the location {other.location!r} of feed {other.feed}"
            fix = "Give each feed a folder of its own, else files would belong to both."
            row.problem("location", received, "a folder no other feed reads", fix)
    return location


def _lies_within(location: str, folder: str) -> bool:
    """Whether ``location`` is ``folder`` or lies in it; ``.`` holds every relative location."""
    if folder == ".":
        return is_relative(location)
    return location == folder or location.startswith(folder + "/")
