"""Random lives of keys, spread over the files and batches of one table as DMS delivers them (docs/proof.md).

Everything is drawn from one `random.Random`: the same seed gives the same files, and Hypothesis can stand in for it.
"""

from __future__ import annotations

import gzip
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from python_udfs.dms_writer import Change, Column, DmsTask, SourceTable
from tests.oracle import Delivery, Row

START = datetime(2024, 1, 31, 23, 50, tzinfo=timezone.utc)
BATCHES = 4
# A history that has a row in every file, so that a file stays a file when other histories are taken out. In each file
# of a load it has another key, as LOAD files have no order among themselves and no key is in two of one load.
BALLAST = 0

# Soft deletes: whether two deletes of one key may carry different images. Where a key never had another image, silver
# keeps that of the delete it saw first, which depends on the cut into batches (docs/proof.md, "Known").
DELETE_IMAGES_DIFFER = False

KEY_COLUMNS = {"h": pa.int32(), "part": pa.string()}
# `n` tells every statement from every other one; `order` and `key size` want quotes; `added` comes in the middle.
COLUMNS = {
    "n": pa.int64(),
    "order": pa.int32(),
    "key size": pa.decimal128(12, 4),
    "v": pa.string(),
    "day": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
    "ok": pa.bool_(),
    "x": pa.float64(),
    "added": pa.string(),
}
SPARK_TYPES = {
    "h": "int",
    "part": "string",
    "n": "bigint",
    "order": "int",
    "key size": "decimal(12,4)",
    "v": "string",
    "day": "date",
    "at": "timestamp",
    "ok": "boolean",
    "x": "double",
    "added": "string?",
}
TEXTS = (
    "",
    "a",
    "NULL",
    "null",
    '"',
    'say "hi", twice',
    "first\nsecond",
    "\n",
    ",",
    "'",
    "\\",
    "\\n",
    " padded ",
    "ä€𝄞",
    "\t",
    "a\r\nb",
    "\x02\x03\x04",
)
VALUES: dict[str, tuple[Any, ...]] = {
    "order": (0, 1, -1, 2**31 - 1, -(2**31)),
    "key size": tuple(map(Decimal, ("0", "0.0001", "-99999999.9999", "12.5"))),
    "v": TEXTS,
    "day": (date(2024, 2, 29), date(1969, 12, 31), date(9999, 12, 31), date(1900, 1, 1)),
    "at": (
        START,
        datetime(1969, 12, 31, 23, 59, 59, 999999, timezone.utc),
        datetime(2200, 1, 1, 0, 0, 0, 1, timezone.utc),
    ),
    "ok": (True, False),
    "x": (0.0, -0.5, 0.1 + 0.2, 1e300, 5e-324),
    "added": TEXTS,
}
PARTS = (None, *TEXTS, "A", "a ")
# Rows that silver has to leave out; all but the first exist in CSV only.
FLAWS = ("operation", "short", "value", "open quote")


@dataclass(frozen=True)
class Shape:
    """One kind of table: how its files look and how its silver table behaves."""

    name: str
    data_format: str
    delete_mode: str
    key: tuple[str, ...]
    feed_options: str
    settings: dict[str, Any]
    table: dict[str, str]

    @property
    def columns(self) -> dict[str, pa.DataType]:
        """Arrow type by name: the key, then the rest."""
        return {**{name: KEY_COLUMNS[name] for name in self.key}, **COLUMNS}

    @property
    def suffix(self) -> str:
        """How the names of its files end."""
        return f".{self.data_format}{'.gz' if self.settings.get('compression') == 'gzip' else ''}"


WITH_TIME = {"timestamp_column_name": "ts"}
CSV = {**WITH_TIME, "csv_quote_ambiguous_text": True}
SHAPES = (
    Shape("hard_parquet", "parquet", "hard", ("h",), "timestamp_column=ts", WITH_TIME, {}),
    Shape(
        "soft_parquet",
        "parquet",
        "soft",
        ("h", "part"),
        "timestamp_column=ts;operation_column=always",
        {**WITH_TIME, "include_op_for_full_load": True},
        {},
    ),
    Shape("hard_csv", "csv", "hard", ("h", "part"), "timestamp_column=ts", CSV, {}),
    Shape(
        "soft_csv",
        "csv",
        "soft",
        ("h",),
        "timestamp_column=ts;header=true",
        {**CSV, "add_column_name": True, "compression": "gzip"},
        {},
    ),
    # Without a timestamp column, and another way to write; the partition of a row changes with its values.
    Shape(
        "hard_rewritten",
        "parquet",
        "hard",
        ("h",),
        "",
        {},
        {"write_mode": "copy-on-write", "partition_by": "bucket(3, order)"},
    ),
)


@dataclass(frozen=True)
class Statement:
    """One row of a file, the history it belongs to, and what is wrong with it."""

    history: int
    row: Row
    flaw: str | None = None


@dataclass(frozen=True)
class File:
    """One object version: where, when written (and modified), in which batch it is found; `wide`: it has `added`."""

    path: str
    modified_at: datetime
    batch: int
    wide: bool
    statements: tuple[Statement, ...]

    @property
    def is_load(self) -> bool:
        """Whether it is a file of a full load."""
        return self.path.startswith("LOAD")

    @property
    def delivery(self) -> Delivery:
        """What the oracle sees of it."""
        return Delivery(self.path, self.modified_at, tuple(statement.row for statement in self.statements))


@dataclass
class Slot:
    """A file to be: its place in time, the batch that may find it first, and the statements it gets, by life."""

    path: str
    written_at: datetime
    window: int
    batch: int
    lives: list[list[Statement]]


def draw_files(random: Random, shape: Shape, keys: int, reloads: bool = True) -> list[File]:
    """The files of one table.

    Args:
        random: the source of every choice.
        shape: the kind of table.
        keys: how many keys live in it.
        reloads: whether the table may be loaded again.

    Returns:
        Object versions in the order of their delivery: batch, then modification time. No path comes twice in a batch,
        no two paths have the same time in their names, and a reload is found before anything that was written later.
    """
    slots = _slots(random)
    loads = [_loads(random, slots)]
    if reloads and random.random() < 0.75:
        loads += _reloads(random, slots, loads[0])
    _spread(random, shape, slots, loads, keys)
    added_from = slots[random.randrange(len(slots))].written_at
    files = []
    sent: list[Statement] = []
    for slot in sorted(slots + [load for _, group in loads for load in group], key=lambda slot: slot.written_at):
        wide = slot.written_at >= added_from
        rows = [s if wide else _without_added(s) for s in _interleaved(random, slot.lives)]
        is_load = slot.path.startswith("LOAD")
        if not is_load:
            if sent and random.random() < 0.2:  # stop and resume: the last rows once more, in a new file (§1.10)
                rows = sent[-random.randint(1, max(1, len(sent) // 10)) :] + rows
            sent = [statement for statement in rows if statement.flaw is None]
            rows = sent + [statement for statement in rows if statement.flaw is not None]
        file = File(slot.path + shape.suffix, slot.written_at, slot.batch, wide, tuple(rows))
        files.append(file)
        if not is_load and slot.batch < BATCHES and random.random() < 0.2:  # delivered once more, as it was
            again = random.randint(slot.batch + 1, BATCHES)
            files.append(replace(file, batch=again, modified_at=slot.written_at + timedelta(days=again)))
    return sorted(files, key=lambda file: (file.batch, file.modified_at))


def _slots(random: Random) -> list[Slot]:
    """Change files in the order of their times, each found in the batch that was next or, late, in a later one."""
    number = random.randint(5, 12)
    windows = sorted(random.randint(1, BATCHES) for _ in range(number))
    if random.random() < 0.3:
        windows = [1] * number  # then any batch may find any of them
    lateness = random.choice((0.2, 0.5, 1.0))
    slots = []
    moment = START
    for window in windows:
        moment += random.choice((10, 977, 60_000, 3_600_000)) * random.randint(1, 9) * timedelta(milliseconds=1)
        digits = random.choice((3, 3, 4, 6))
        folder = random.choice(("", f"{moment:%Y/%m/%d}/"))
        path = f"{folder}{moment:%Y%m%d-%H%M%S}{f'{moment.microsecond:06d}'[:digits]}"
        batch = random.randint(window, BATCHES) if random.random() < lateness else window
        slots.append(Slot(path, moment, window, batch, []))
    return slots


def _loads(random: Random, slots: Sequence[Slot]) -> tuple[int, list[Slot]]:
    """The first full load: before which slot it was made, and its files."""
    batch = random.choice((1, 1, 1, random.randint(1, BATCHES)))
    start = START - timedelta(hours=1)
    return 0, [
        Slot(f"LOAD{number:08X}", start + timedelta(minutes=number), 1, batch, [])
        for number in range(1, random.randint(1, 3) + 1)
    ]


def _reloads(random: Random, slots: Sequence[Slot], first: tuple[int, list[Slot]]) -> list[tuple[int, list[Slot]]]:
    """Further loads, the first file of each found in the batch that follows it, and after the load before."""
    loads: list[tuple[int, list[Slot]]] = []
    found = max(slot.batch for slot in first[1])
    while found < BATCHES and len(loads) < 2:
        batch = random.randint(found + 1, BATCHES)
        places = [
            place
            for place in range(1, len(slots) + 1)
            if slots[place - 1].window <= batch and (place == len(slots) or slots[place].window >= batch)
        ]
        if not places:
            break
        place = random.choice(places)
        is_end = place == len(slots)
        # The third file of a load may have the time of the change file that follows it: the load comes first.
        start = slots[-1].written_at if is_end else slots[place].written_at - timedelta(milliseconds=3)
        if loads and start <= loads[-1][1][-1].written_at:
            break
        group = []
        for number in range(1, random.randint(1, 3) + 1):
            late = random.randint(batch, BATCHES) if number > 1 and random.random() < 0.3 else batch
            moment = start + timedelta(milliseconds=number)
            group.append(Slot(f"LOAD{number:08X}", moment, batch, late, []))
        loads.append((place, group))
        found = max(slot.batch for slot in group)
    return loads


def _spread(random: Random, shape: Shape, slots: list[Slot], loads: list[tuple[int, list[Slot]]], keys: int) -> None:
    """Draws the life of every key and hands its statements to the files."""
    serial = itertools.count(1)
    for number, load in ((number, load) for _, group in loads for number, load in enumerate(group, start=1)):
        ballast = _statement(random, shape, serial, -number, "", "L", load.written_at)
        load.lives.append([replace(ballast, history=BALLAST)])
    for slot in slots:
        slot.lives.append([_statement(random, shape, serial, BALLAST, "", "U", slot.written_at)])
    drawn = 0
    for history in itertools.count(BALLAST + 1):
        parts = random.sample(PARTS, random.choice((1, 1, 2, 3))) if "part" in shape.key else [None]
        for part in parts[: keys - drawn]:
            _live(random, shape, serial, slots, loads, history, part)
            drawn += 1
        if drawn >= keys:
            return


def _live(
    random: Random,
    shape: Shape,
    serial: Iterator[int],
    slots: list[Slot],
    loads: list[tuple[int, list[Slot]]],
    history: int,
    part: str | None,
) -> None:
    """One life: loaded or not, then statements that mostly make sense, then loaded again or not, and so on."""
    places = random.sample(range(len(slots)), random.randint(1, min(4, len(slots))))
    number = random.choice((0, 1, 1, 2, 2, 3, 4, 5, 6, 9))
    times = sorted(random.choice(places) for _ in range(number))
    alive = is_told = False
    farewell = None
    for place, slot in enumerate((*slots, None)):
        for load_place, group in loads:
            if load_place == place:
                alive = random.random() < (0.6 if place == 0 else 0.85 if alive else 0.1)
                if alive:
                    load = random.choice(group)
                    load.lives.append([_statement(random, shape, serial, history, part, "L", load.written_at)])
                    is_told = True
        if slot is None:
            break
        statements = []
        for _ in range(times.count(place)):
            likely = "UUD" if alive else "IIIIUD"
            operation = random.choice("IUD" if random.random() < 0.15 else likely)
            alive = operation != "D"
            statement = _statement(random, shape, serial, history, part, operation, slot.written_at)
            if operation == "D" and shape.delete_mode == "soft" and not DELETE_IMAGES_DIFFER:
                farewell = farewell or _without_added(statement).row.image
                statement = replace(statement, row=replace(statement.row, image=farewell))
            statements.append(statement)
            is_told = True
        if random.random() < 0.02:
            statements.insert(0, _flawed(random, shape, serial, history, part, slot.written_at))
        if statements:
            slot.lives.append(statements)
    if not is_told:
        slot = random.choice(slots)
        slot.lives.append([_statement(random, shape, serial, history, part, random.choice("IUD"), slot.written_at)])


def _statement(
    random: Random, shape: Shape, serial: Iterator[int], history: int, part: str | None, operation: str, at: datetime
) -> Statement:
    """One good row. Commit times have ties and do not follow the order of the rows."""
    key = {"h": history, "part": part}
    image: dict[str, Any] = {name: key[name] for name in shape.key}
    if operation != "D" or random.random() < 0.5:  # else as from PostgreSQL: the key only (§1.7)
        image["n"] = next(serial)
        for name, values in VALUES.items():
            image[name] = random.choice((None, *values))
    committed_at = at - timedelta(seconds=random.choice((0, 0, 1, 1, 5, 3600))) if operation != "L" else at
    return Statement(history, Row(operation, image, committed_at if shape.settings else None))


def _flawed(
    random: Random, shape: Shape, serial: Iterator[int], history: int, part: str | None, at: datetime
) -> Statement:
    """One row that silver has to leave out."""
    statement = _statement(random, shape, serial, history, part, "U", at)
    flaw = random.choice((None, *FLAWS) if shape.data_format == "csv" else (None, "operation"))
    row = statement.row
    assert row.image is not None
    if flaw is None:  # no value in the key
        return replace(statement, row=replace(row, image={**row.image, **dict.fromkeys(shape.key)}))
    if flaw == "operation":
        return Statement(history, replace(row, operation=random.choice(("X", None, ""))), flaw)
    return Statement(history, replace(row, image=None), flaw)


def _without_added(statement: Statement) -> Statement:
    image = statement.row.image
    if image is None or "added" not in image:
        return statement
    image = {name: value for name, value in image.items() if name != "added"}
    return replace(statement, row=replace(statement.row, image=image))


def _interleaved(random: Random, lives: Sequence[Sequence[Statement]]) -> list[Statement]:
    """The statements of all lives in one order that keeps the order of each life."""
    turns = [number for number, life in enumerate(lives) for _ in life]
    random.shuffle(turns)
    left = [iter(life) for life in lives]
    return [next(left[number]) for number in turns]


def only(files: Iterable[File], histories: Iterable[int]) -> list[File]:
    """The same files with the rows of some histories, and of the ballast."""
    wanted = {BALLAST, *histories}
    return [
        replace(file, statements=tuple(statement for statement in file.statements if statement.history in wanted))
        for file in files
    ]


def excerpts(files: Sequence[File], history: int, at_most: int = 2000) -> tuple[list[File], dict[int, int]]:
    """The same files with every part of one history in place of it, each a history of its own, small ones first.

    Returns:
        The files, and the number of rows by history.
    """
    rows = sorted({id(s): s for file in files for s in file.statements if s.history == history}.items())
    sizes = range(1, len(rows) + 1)
    parts = itertools.islice(
        itertools.chain.from_iterable(itertools.combinations([name for name, _ in rows], size) for size in sizes),
        at_most,
    )
    chosen = dict(enumerate(map(frozenset, parts), start=BALLAST + 1))
    if rows and frozenset(name for name, _ in rows) not in chosen.values():
        chosen[len(chosen) + 1] = frozenset(name for name, _ in rows)

    def copies(statement: Statement) -> Iterator[Statement]:
        if statement.history == BALLAST:
            yield statement
        if statement.history != history:
            return
        for number, part in chosen.items():
            if id(statement) in part:
                image = statement.row.image
                if image is not None and image.get("h") is not None:
                    image = {**image, "h": number}
                yield replace(statement, history=number, row=replace(statement.row, image=image))

    cut = [replace(file, statements=tuple(c for s in file.statements for c in copies(s))) for file in files]
    return cut, {number: len(part) for number, part in chosen.items()}


class Landing:
    """Puts files into the landing area of one feed and table.

    Args:
        folder: the table's folder.
        workshop: an empty folder, where files are made before they are moved.
        shape: the kind of table.
    """

    def __init__(self, folder: Path, workshop: Path, shape: Shape) -> None:
        self.folder = folder
        self.shape = shape
        self.task = DmsTask(workshop, data_format=shape.data_format, **shape.settings)

    def put(self, file: File) -> None:
        """Makes an object version appear, with its modification time."""
        names = [name for name in self.shape.columns if file.wide or name != "added"]
        table = SourceTable("s", "t", tuple(Column(name, self.shape.columns[name]) for name in names), self.shape.key)
        rows = [statement for statement in file.statements if self.shape.data_format != "csv" or not statement.flaw]
        if file.is_load:
            made = self.task.full_load(table, [s.row.image or {} for s in rows], file.modified_at)[0]
        else:
            changes = [
                Change("U" if s.flaw else s.row.operation, s.row.image or {}, s.row.committed_at or file.modified_at)
                for s in rows
            ]
            made = self.task.changes(table, changes, file.modified_at)[0]
            flawed = [statement for statement in file.statements if statement.flaw]
            if flawed and self.shape.data_format == "csv":
                _append_lines(made, [_line(names, s) for s in sorted(flawed, key=lambda s: s.flaw == "open quote")])
            elif flawed:
                _set_operations(made, [statement.row.operation for statement in file.statements])
        target = self.folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        milliseconds = round(file.modified_at.timestamp() * 1000)
        os.utime(made, ns=(milliseconds * 1_000_000,) * 2)
        made.replace(target)


def _line(names: Sequence[str], statement: Statement) -> str:
    """A CSV record with a flaw; what is right in it would change the row of its key."""
    values = ["" if name != "h" else str(statement.history) for name in names]
    values = [*values[:-1], {"open quote": '"open', "value": ""}.get(statement.flaw or "", "text")]
    if statement.flaw == "short":
        values = values[:2]
    if statement.flaw == "value":
        values[names.index("n")] = "many"
    operation = (statement.row.operation or "") if statement.flaw == "operation" else "U"
    return ",".join([operation, "2024-02-01 00:00:00.000000", *values]) + "\n"


def _append_lines(path: Path, lines: Sequence[str]) -> None:
    text = "".join(lines).encode()
    is_gzip = path.suffix == ".gz"
    content = gzip.decompress(path.read_bytes()) if is_gzip else path.read_bytes()
    path.write_bytes(gzip.compress(content + text, mtime=0) if is_gzip else content + text)


def _set_operations(path: Path, operations: Sequence[str | None]) -> None:
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.column_names.index("Op"), "Op", pa.array(operations, pa.string())), path)
