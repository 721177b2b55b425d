"""The expected silver in plain Python: a table's files go in, the rows of its silver table come out.

The second opinion of the proof (docs/proof.md): no code of the project, no Spark. Cases are those of
tests/e2e/CASES.md; the rules are in docs/architecture.md, the facts of the sources in docs/feeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

LOAD = re.compile(r"(?:SEGMENT\d+_)?LOAD[0-9A-Fa-f]{5,8}\.")
CHANGE = re.compile(r"(?:CDC_TXN-(?=\d{17}\.))?(\d{8})-?(\d{6})(\d{0,6})\.")
NO_TIME = datetime.min.replace(tzinfo=timezone.utc)
UNAVAILABLE: Any = type("Unavailable", (), {"__repr__": lambda self: "unavailable"})()  # not carried (dms_format.md)


@dataclass(frozen=True)
class Row:
    """A row of a file; no image: it cannot be read as one. What follows `old_key`, placed() finds out."""

    operation: str | None  # in a LOAD file it means nothing
    image: Mapping[str, Any] | None  # without the columns that the file lacks
    committed_at: datetime | None = None  # the timestamp column
    old_key: Mapping[str, Any] | None = None  # the key before the change, where before images have it (dms_format.md)
    key: tuple[Any, ...] = ()
    generation: int = 0
    position: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Delivery:
    """A file version, there from `modified_at` on. `rank` orders files of one time (the project: by a hash)."""

    path: str
    modified_at: datetime
    rows: Sequence[Row] | None  # None: nobody can read it
    rank: str = ""


@dataclass(frozen=True)
class Rules:
    """The metadata of the table."""

    key: Sequence[str]
    columns: Sequence[str]
    mode: str = "current"
    delete_mode: str = "hard"
    key_comparison: Sequence[str] = ()
    unchanged_rows: str = ""
    absent_columns: str = "null"  # what a column is that the file lacks; keep: unavailable (case 38)

    def key_of(self, image: Mapping[str, Any]) -> tuple[Any, ...]:
        """The key as the source compares it (case 57)."""
        values = [image.get(column) for column in self.key]
        for rule, normal in (("ignore_case", str.lower), ("ignore_trailing_spaces", lambda text: text.rstrip(" "))):
            if rule in self.key_comparison:
                values = [normal(value) if isinstance(value, str) else value for value in values]
        return tuple(values)


@dataclass
class Life:
    """One key after some of its changes: the last image, what silver keeps of the last change, the history."""

    live: bool = False
    image: dict[str, Any] = field(default_factory=dict)
    change: dict[str, Any] = field(default_factory=dict)
    versions: list[dict[str, Any]] = field(default_factory=list)
    boundary: datetime = NO_TIME  # where the last version began or ended: commit times may go back, versions do not

    def end(self, at: Any) -> None:
        if self.live:
            self.live, self.boundary = False, max(self.boundary, at)
            self.versions[-1]["_cdc_valid_to"] = self.boundary

    def take(self, row: Row, rules: Rules) -> None:
        absent = UNAVAILABLE if rules.absent_columns == "keep" else None
        carried = {column: (row.image or {}).get(column, absent) for column in rules.columns}
        stored = self.image if self.live and row.operation == "U" else {}
        image = {column: stored.get(column) if value is UNAVAILABLE else value for column, value in carried.items()}
        self.change = {f"_cdc_{name}": getattr(row, name) for name in ("operation", "committed_at", "generation")}
        if row.operation == "D":  # its image may be anything: the row keeps its last one (docs/architecture.md)
            self.end(row.committed_at)
            key_alone = dict.fromkeys(rules.columns) | {c: (row.image or {}).get(c) for c in rules.key}
            self.image = self.image or key_alone
        elif not self.live or image != self.image or rules.unchanged_rows == "write":
            self.end(row.committed_at)
            self.live, self.image, self.boundary = True, image, max(self.boundary, row.committed_at or NO_TIME)
            self.versions.append({**image, "_cdc_valid_from": self.boundary, "_cdc_valid_to": None, **self.change})


def file_time(path: str) -> datetime | None:
    """The time in a file's name, UTC (dms_format.md: any number of digits after the seconds); None for a LOAD."""
    parts = CHANGE.match(path.rsplit("/", 1)[-1])
    assert parts or LOAD.match(path.rsplit("/", 1)[-1]), f"{path} is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>"
    return datetime.strptime("{}{}{:0<6}+0000".format(*parts.groups()), "%Y%m%d%H%M%S%f%z") if parts else None


Version = tuple[str, datetime]


def generations(deliveries: Iterable[Delivery]) -> tuple[dict[Version, int], set[int]]:
    """By path and time, without redelivered loads, and the reloads that are complete (docs/feeds/dms_format.md)."""
    versions: dict[str, list[Delivery]] = {}
    for delivery in sorted(deliveries, key=lambda delivery: delivery.modified_at):
        if delivery.rows is not None or file_time(delivery.path):  # a load that nobody could read never came
            versions.setdefault(delivery.path, []).append(delivery)
    loads = [path for path in versions if file_time(path) is None]
    first = {path: of_path[0].modified_at for path, of_path in versions.items()}
    counted, reloads, again = {path: [first[path]] for path in loads}, [], []
    for path in loads:
        last = versions[path][0]
        for version in versions[path][1:]:  # as it was: a redelivery, which may be a part of a reload all the same
            (again if version.rows == last.rows else reloads).append(version)
            last = version if version.rows != last.rows else last
    changed = [first[p] for p in versions.keys() - loads if any(d.rows is not None for d in versions[p])]

    def follow(delivery: Delivery, other: Delivery) -> bool:  # of one load: no change came between them
        begin, end = sorted((delivery.modified_at, other.modified_at))
        return not any(begin <= change < end for change in changed)

    for version in again:
        earlier = [d for d in reloads + again if d.path == version.path and d.modified_at < version.modified_at]
        if any(follow(version, reload) for reload in reloads) and not any(follow(version, d) for d in earlier):
            counted[version.path].append(version.modified_at)
    for version in reloads:
        counted[version.path].append(version.modified_at)
    starts = [(at, number) for times in counted.values() for number, at in enumerate(sorted(times), start=1)]

    def begun(at: datetime) -> int:
        return max([number for start, number in starts if start <= at], default=1)

    of_load = {path: {begun(at) for at in times} for path, times in counted.items()}
    complete = {
        number
        for number in set(map(begun, changed)) - {1}
        if not any(min(own) < number and number not in own for own in of_load.values())
    }
    begun_generations = {(path, at): begun(at) for path, times in counted.items() for at in times}
    changes = {
        (d.path, d.modified_at): begun(first[d.path]) for path in versions.keys() - loads for d in versions[path]
    }
    return begun_generations | changes, complete


def waiting(deliveries: Iterable[Delivery], rules: Rules) -> set[int]:
    """The reloads of which a part could not be read and has not come again: they remove nothing (dms_format.md)."""
    deliveries = sorted(deliveries, key=lambda delivery: delivery.modified_at, reverse=True)
    generation, _ = generations(deliveries)
    first = {d.path: d.modified_at for d in deliveries if file_time(d.path)}
    changed = [first[d.path] for d in deliveries if d.path in first and d.rows is not None]
    loads = [delivery for delivery in deliveries if delivery.path not in first]
    incomplete, whole, read = set(), set(), [load for load in loads if (load.path, load.modified_at) in generation]
    for load in read:
        keys = [
            row.image and (rules.mode == "append" or set(rules.key_of(row.image)) - {None}) for row in load.rows or ()
        ]
        if all(keys):
            whole.add(load.path)
        elif load.path not in whole:
            incomplete.add(generation[load.path, load.modified_at])
    readable = {load.path: load.modified_at for load in reversed(loads) if load.rows is not None}  # the newest version
    for broken in (o for o in loads if o.rows is None and o.modified_at >= readable.get(o.path, NO_TIME)):
        for load in read:  # of one load: no change came between them
            begin, end = sorted((broken.modified_at, load.modified_at))
            if not any(begin <= change < end for change in changed):
                incomplete.add(generation[load.path, load.modified_at])
    return incomplete


def valid(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """Without change files that newer, other content replaces (dms_format.md): of one time, the one listed later."""
    newest: dict[str, Delivery] = {}
    for file in (deliveries := [delivery for delivery in deliveries if delivery.rows is not None]):
        newest[file.path] = max(file, newest.get(file.path, file), key=lambda version: version.modified_at)
    return [f for f in deliveries if file_time(f.path) is None or f.rows == newest[f.path].rows]


def placed(deliveries: Sequence[Delivery], rules: Rules) -> list[Row]:
    """The rows that break no rule (case 59), oldest first (order.md): the commit time does not order them."""
    rows, (generation, _) = [], generations(deliveries)
    for file in valid(deliveries):
        if (file.path, file.modified_at) not in generation:
            continue
        time, came = file_time(file.path), generation[file.path, file.modified_at]
        for number, row in enumerate(file.rows or ()):
            operation, at = "L" if time is None else row.operation, row.committed_at or time or file.modified_at
            position = (came, time is not None, time or NO_TIME, file.rank, file.path, number, file.modified_at)
            key = (file.path, number) if rules.mode == "append" else rules.key_of(row.image or {})
            is_change = operation in ("I", "U", "D") if time else operation == "L"
            if operation == "T" or (row.image and is_change and set(key) - {None}):
                old = rules.key_of(row.old_key or {})
                if set(old) - {None} and old != key and rules.mode != "append":  # old key first
                    rows.append(Row("D", row.old_key, at, None, old, came, position))
                rows.append(Row(operation, row.image, at, None, key, came, position))
    return sorted(rows, key=lambda row: row.position)


def expected_silver(deliveries: Iterable[Delivery], rules: Rules) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Silver's rows by key; in mode append by path and row, in mode history by key and number of the version."""
    lives: dict[tuple[Any, ...], Life] = {}
    deliveries = list(deliveries)
    rows, begun = placed(deliveries, rules), 0
    complete = generations(deliveries)[1] - waiting(deliveries, rules)
    for row in [*rows, None]:
        since, begun = begun, row.generation if row else max(complete, default=0)
        for reload in sorted(number for number in complete if since < number <= begun):  # what it lacks goes
            own = [other for other in rows if other.generation == reload]
            loads = [other for other in own if other.operation == "L"]
            for key in lives.keys() - {load.key for load in loads}:
                lives[key].end(min((other.committed_at or NO_TIME for other in loads or own), default=NO_TIME))
        if row and row.operation == "T":
            for life in lives.values():
                life.end(row.committed_at)
        elif row and (rules.mode != "append" or row.operation in ("I", "L")):
            lives.setdefault(row.key, Life()).take(row, rules)
    if rules.mode == "history":
        return {(*key, number): version for key, life in lives.items() for number, version in enumerate(life.versions)}
    if rules.delete_mode == "soft":
        return {key: {**life.image, **life.change, "_cdc_is_deleted": not life.live} for key, life in lives.items()}
    return {key: {**life.image, **life.change} for key, life in lives.items() if life.live}
