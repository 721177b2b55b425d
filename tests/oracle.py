"""What silver has to be, told again in plain Python: a table's files go in, the rows of its silver table come out.

The second opinion of the proof (docs/proof.md). It shares no code with the project and needs no Spark; every rule names
the section of docs/contracts.md that it follows. What it cannot say by itself is how two objects of the same time are
ordered: the project orders them by a hash of their key, so no history that it is compared on holds a pair that matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

LOAD = re.compile(r"(?:SEGMENT\d+_)?LOAD[0-9A-Fa-f]{5,8}\.")
CHANGE = re.compile(r"(\d{8})-(\d{6})(\d{0,6})\.")
NO_TIME = datetime.min.replace(tzinfo=timezone.utc)


@dataclass(frozen=True)
class Row:
    """One row of a file.

    ``operation`` is I, U, D or what stands there instead, and means nothing in a LOAD file. ``image`` is value by
    column, without those that the file lacks; None where the row cannot be read as one of its table (section 1.3).
    ``committed_at`` is what the timestamp column says, None without one.
    """

    operation: str | None
    image: Mapping[str, Any] | None
    committed_at: datetime | None = None


@dataclass(frozen=True)
class Delivery:
    """An object as it lay in the landing area from ``modified_at`` on; its path may have held other content before."""

    path: str
    modified_at: datetime
    rows: Sequence[Row]


@dataclass(frozen=True)
class Placed:
    """A row at its place among all rows of the table; ``operation`` is L for a row of a full load."""

    position: tuple[Any, ...]
    generation: int
    path: str
    number: int
    operation: str | None
    image: Mapping[str, Any] | None
    committed_at: datetime


def file_time(path: str) -> datetime | None:
    """The time in an object's name, UTC; None for a LOAD object (section 1.2: any number of digits after the seconds).

    Raises:
        ValueError: the name is none of DMS's.
    """
    name = path.rsplit("/", 1)[-1]
    if LOAD.match(name):
        return None
    parts = CHANGE.match(name)
    if not parts:
        raise ValueError(f"{path} is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>.")
    day, second, fraction = parts.groups()
    return datetime.strptime(f"{day}{second}{fraction:0<6}+0000", "%Y%m%d%H%M%S%f%z")


def generations(deliveries: Iterable[Delivery]) -> dict[tuple[str, datetime], int]:
    """The load generation of each delivery, by path and modification time (section 1.10).

    A LOAD path that is delivered for the n-th time begins generation n, if that has not begun. All other objects belong
    to the generation that had begun when they were delivered first.
    """
    times: dict[str, list[datetime]] = {}
    for delivery in sorted(deliveries, key=lambda delivery: delivery.modified_at):
        times.setdefault(delivery.path, []).append(delivery.modified_at)
    starts = [
        (moment, path, number)
        for path, moments in times.items()
        if file_time(path) is None
        for number, moment in enumerate(moments, start=1)
    ]
    found = {}
    for path, moments in times.items():
        is_load = file_time(path) is None
        for moment in moments:
            came = (moment, path) if is_load else (moments[0], chr(0x10FFFF))
            found[path, moment] = max([number for at, load, number in starts if (at, load) <= came], default=1)
    return found


def placed(deliveries: Iterable[Delivery]) -> list[Placed]:
    """Every row at its place, oldest first.

    The order of section 6.1: generation, load before changes, time in the name, object, row; a row that the object held
    at that place before is older. The commit time is no part of it.
    """
    deliveries = list(deliveries)
    generation = generations(deliveries)
    rows = []
    for delivery in deliveries:
        time = file_time(delivery.path)
        came = generation[delivery.path, delivery.modified_at]
        for number, row in enumerate(delivery.rows):
            position = (came, time is not None, time or NO_TIME, delivery.path, number, delivery.modified_at)
            operation = "L" if time is None else row.operation
            committed_at = row.committed_at or time or delivery.modified_at
            rows.append(Placed(position, came, delivery.path, number, operation, row.image, committed_at))
    return sorted(rows, key=lambda row: row.position)


def expected_silver(
    deliveries: Iterable[Delivery], key: Sequence[str], columns: Sequence[str], delete_mode: str
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of the silver table by the values of their key.

    Args:
        deliveries: every object version that has been read, in any order.
        key: the columns of the key; a row counts if at least one of them has a value.
        columns: the source columns, those of the key among them.
        delete_mode: `hard`: a deleted row is gone; `soft`: it is marked and keeps its last image (section 1.7).
    """
    silver: dict[tuple[Any, ...], dict[str, Any]] = {}
    last: dict[tuple[Any, ...], Placed] = {}
    images: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    complete = 1
    for row in placed(deliveries):
        if row.image is None or row.operation not in ("L", "I", "U", "D"):
            continue
        identity = tuple(row.image.get(column) for column in key)
        if all(value is None for value in identity):
            continue
        last[identity] = row
        if row.operation != "D":
            images[identity] = row.image
        if row.operation != "L":  # DMS writes a change only when the load has ended (section 1.10).
            complete = max(complete, row.generation)
    for identity, row in last.items():
        is_deleted = row.operation == "D" or row.generation < complete
        image = images.get(identity, row.image) or {}
        values = {column: image.get(column) for column in columns}
        values |= {"_cdc_operation": row.operation, "_cdc_committed_at": row.committed_at}
        if delete_mode == "soft":
            silver[identity] = values | {"_cdc_is_deleted": is_deleted}
        elif not is_deleted:
            silver[identity] = values
    return silver
