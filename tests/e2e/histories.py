"""Random lives of keys, spread over the files and batches of one table as DMS delivers them (docs/proof.md).

Everything is drawn from one `random.Random`: the same seed gives the same files, and Hypothesis can replace it.
"""

from __future__ import annotations

import gzip
import itertools
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from python_udfs.sample_data.dms_writer import Change, Column, DmsTask, SourceTable
from tests.oracle import UNAVAILABLE, Delivery, Row, Rules

START = datetime(2024, 1, 31, 23, 50, tzinfo=timezone.utc)
BATCHES = 4
# A history that has a row in every file, so that a file stays a file when other histories are taken out. In each file
# of a load it has another key, as LOAD files have no order among themselves and no key is in two of one load.
BALLAST = 0

# If a key has one integer only, a history may have a second key: its number and this.
SECOND = 1_000_000
# Placeholder of a value that the source did not log (docs/feeds/dms_format.md), and what begins the name of a
# column with the value before the change (docs/feeds/dms_format.md, Images).
TOKEN = "<not logged>"
BEFORE = "BI_"

KEY_COLUMNS = {"h": pa.int32(), "part": pa.string()}
# `n` distinguishes most statements; `added` comes in the middle. The others want quotes, are cut by what handles a
# statement by its lines, or are called as relations and columns in the SQL of the macros.
COLUMNS = {
    "n": pa.int64(),
    "order": pa.int32(),
    "key\u2028size": pa.decimal128(12, 4),
    "v": pa.string(),
    "day": pa.date32(),
    "target": pa.timestamp("us", tz="UTC"),
    "log": pa.bool_(),
    "side": pa.float64(),
    "added": pa.string(),
}
SPARK_TYPES = {
    "h": "int",
    "part": "string",
    "n": "bigint",
    "order": "int",
    "key\u2028size": "decimal(12,4)",
    "v": "string",
    "day": "date",
    "target": "timestamp",
    "log": "boolean",
    "side": "double",
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
    TOKEN,
)
VALUES: dict[str, tuple[Any, ...]] = {
    "order": (0, 1, -1, 2**31 - 1, -(2**31)),
    "key\u2028size": tuple(map(Decimal, ("0", "0.0001", "-99999999.9999", "12.5"))),
    "v": TEXTS,
    "day": (date(2024, 2, 29), date(1969, 12, 31), date(9999, 12, 31), date(1900, 1, 1)),
    "target": (
        START,
        datetime(1969, 12, 31, 23, 59, 59, 999999, timezone.utc),
        datetime(2200, 1, 1, 0, 0, 0, 1, timezone.utc),
    ),
    "log": (True, False),
    "side": (0.0, -0.5, 0.1 + 0.2, 1e300, 5e-324),
    "added": TEXTS,
}
PARTS = (None, *TEXTS, "A", "a ")
# Keys that a source may deem equal.
ALIKE_PARTS = ("a", "A", "a ", "A  ", "", " ", " a", None, "ä", "Ä")
# Later types of columns: wider, as Iceberg takes it; or as the column can only cast it.
WIDER = {"order": pa.int64(), "key\u2028size": pa.decimal128(18, 4)}
OTHERWISE = {"order": pa.float64(), "v": pa.int32()}
# Values that the image of a delete may hold beside its key (docs/architecture.md): what PostgreSQL's default identity
# puts into columns that are NOT NULL, and what no column can hold, as CSV has it.
PLACEHOLDERS = {"n": 0, "order": 0, "key\u2028size": Decimal(0), "v": "", "log": False, "side": 0.0}
UNREADABLE = {"n": "many", "order": "1.5", "log": "maybe"}
# A table without metadata, in each transaction file: as the name of a folder it would have more than 255 bytes.
UNLISTED = "客" * 29
# Rows that silver has to leave out; all but the first exist in CSV only.
FLAWS = ("operation", "short", "value", "open quote")


@dataclass(frozen=True)
class Shape:
    """One kind of table: how its files look and how its silver table behaves.

    ``table`` are cells of cdc_tables.csv. ``drops_columns``: files may lack columns. ``ties``: files of one time.
    ``changes_types``: columns get other types over time. ``lists_types``: the seeds list the types of parquet columns,
    and no file has them all. Changes come in transaction files if the feed has the option.
    """

    name: str
    data_format: str
    key: tuple[str, ...]
    settings: dict[str, Any]
    feed_options: tuple[str, ...] = ()
    table: dict[str, str] = field(default_factory=dict)
    drops_columns: bool = False
    ties: bool = False
    changes_types: bool = False
    lists_types: bool = False

    @property
    def has_transactions(self) -> bool:
        """Whether changes come in transaction files (docs/feeds/dms_format.md, Transaction files)."""
        return TRANSACTIONS in self.feed_options

    @property
    def columns(self) -> dict[str, pa.DataType]:
        """Arrow type by name: the key, then the rest."""
        return {**{name: KEY_COLUMNS[name] for name in self.key}, **COLUMNS}

    @property
    def before_images(self) -> tuple[str, ...]:
        """The columns that also come with their value before the change."""
        return self.key if f"before_image_prefix={BEFORE}" in self.feed_options else ()

    @property
    def old_names(self) -> dict[str, str]:
        """The names that some files have for columns."""
        pairs = (pair.split("=") for pair in filter(None, self.table.get("renamed_columns", "").split(";")))
        return {new: old for old, new in pairs}

    @property
    def has_token(self) -> bool:
        """Whether values may be missing from a change."""
        return f"unavailable_value={TOKEN}" in self.feed_options

    @property
    def rules(self) -> Rules:
        """The input of the oracle."""
        mode = self.table.get("mode", "current")
        return Rules(
            () if mode == "append" else self.key,
            tuple(self.columns),
            mode,
            self.table.get("delete_mode", "hard"),
            tuple(filter(None, self.table.get("key_comparison", "").split(";"))),
            self.table.get("unchanged_rows", ""),
            "keep" if "absent_columns=keep" in self.feed_options else "null",
        )

    @property
    def suffix(self) -> str:
        """How the names of its files end."""
        return f".{self.data_format}{'.gz' if self.settings.get('compression') == 'gzip' else ''}"

    @property
    def can_break(self) -> bool:
        """Whether a file of other bytes is one that nobody can read."""
        return self.suffix != ".csv"


@dataclass(frozen=True)
class Loss:
    """Tables of etl_metadata that are lost before a batch: dropped, or rolled back by one snapshot."""

    tables: tuple[str, ...]
    is_rollback: bool

    def forgets(self, file: File, batch: int) -> bool:
        """Whether nobody knows the size of an earlier file any more, once its content is replaced in this batch."""
        return "raw_listing" in self.tables and (not self.is_rollback or file.batch == batch - 1)


# Tables that are only shown, or read again, come back by themselves; these record which files were read.
STATE = ("raw_listing", "rejected_files", "run_metrics", "silver_checks")


def draw_losses(random: Random) -> dict[int, Loss]:
    """State that is lost before a batch, of all tables of a round."""
    batches = [batch for batch in range(2, BATCHES + 1) if random.random() < 0.3]
    chosen = (STATE[:1], STATE[1:2], STATE[:2], STATE)
    return {batch: Loss(random.choice(chosen), random.random() < 0.5) for batch in batches}


WITH_TIME = {"timestamp_column_name": "ts"}
CSV = {**WITH_TIME, "csv_quote_ambiguous_text": True}
HEADER = {**CSV, "add_column_name": True}
NOT_LOGGED = {"use_csv_no_sup_value": True, "csv_no_sup_value": TOKEN}
OLD_KEY = {"before_image_prefix": BEFORE}
TS, TOKEN_OPTION, BEFORE_OPTION = "timestamp_column=ts", f"unavailable_value={TOKEN}", f"before_image_prefix={BEFORE}"
TRANSACTIONS = "transaction_files=true"
RENAMED = {"renamed_columns": "Number=h"}
SHAPES = (
    Shape("hard_parquet", "parquet", ("h",), {**WITH_TIME, **OLD_KEY}, (TS, BEFORE_OPTION), RENAMED, ties=True),
    Shape(
        "soft_parquet",
        "parquet",
        ("h", "part"),
        {**WITH_TIME, "include_op_for_full_load": True},
        (TS, "operation_column=always", "absent_columns=keep"),
        {"delete_mode": "soft"},
        drops_columns=True,
    ),
    Shape(
        "hard_csv",
        "csv",
        ("h", "part"),
        {**CSV, **NOT_LOGGED},
        (TS, TOKEN_OPTION),
        {"key_comparison": "ignore_case;ignore_trailing_spaces"},
    ),
    Shape(
        "soft_csv",
        "csv",
        ("h",),
        {**HEADER, **NOT_LOGGED, **OLD_KEY, "compression": "gzip"},
        (TS, "header=true", TOKEN_OPTION, BEFORE_OPTION),
        {"delete_mode": "soft", **RENAMED},
        ties=True,
    ),
    # Without a timestamp column, and another way to write; the partition of a row changes with its values.
    Shape(
        "hard_rewritten",
        "parquet",
        ("h",),
        {},
        (),
        {"write_mode": "copy-on-write", "partition_by": "bucket(3, order)", "unchanged_rows": "skip"},
        drops_columns=True,
    ),
    Shape(
        "history_parquet",
        "parquet",
        ("h", "part"),
        {**WITH_TIME, **OLD_KEY},
        (TS, BEFORE_OPTION),
        {"mode": "history", **RENAMED},
        drops_columns=True,
    ),
    Shape(
        "history_csv",
        "csv",
        ("h",),
        {**CSV, **NOT_LOGGED},
        (TS, TOKEN_OPTION),
        {"mode": "history", "unchanged_rows": "write"},
        ties=True,
    ),
    Shape("append_parquet", "parquet", ("h",), WITH_TIME, (TS,), {"mode": "append"}, ties=True),
    Shape("soft_transactions", "csv", ("h", "part"), CSV, (TS, TRANSACTIONS), {"delete_mode": "soft"}),
    Shape("hard_retyped", "parquet", ("h",), WITH_TIME, (TS,), changes_types=True),
    Shape("hard_listed", "parquet", ("h",), WITH_TIME, (TS,), changes_types=True, lists_types=True),
)


@dataclass(frozen=True)
class Statement:
    """One row of a file, the history it belongs to, what is wrong with it, and values that are `written` otherwise."""

    history: int
    row: Row
    flaw: str | None = None
    written: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fitting(self) -> Statement:
        """The statement, once its table has types that hold its values."""
        if self.flaw != "type":
            return self
        image = {
            name: str(value) if name == "v" and value is not None else value for name, value in self.written.items()
        }
        return replace(self, row=replace(self.row, image=image))


@dataclass(frozen=True)
class File:
    """One object version: where, when written (and modified), in which batch it is found, and columns it `lacks`.

    ``types``: Arrow types of columns that have others here. ``is_broken``: nobody can read it. ``away``: the batches
    after the first in which it is not there. ``made_at``: its timestamp column, where it is a file of a load.
    """

    path: str
    modified_at: datetime
    batch: int
    lacks: frozenset[str]
    statements: tuple[Statement, ...]
    types: Mapping[str, pa.DataType] = field(default_factory=dict)
    is_broken: bool = False
    away: range = range(0)
    made_at: datetime = START

    @property
    def is_load(self) -> bool:
        """Whether it is a file of a full load."""
        return self.path.startswith("LOAD")

    def key(self, folder: str) -> str:
        """Its path under the feed's location, where the files of the table are in a folder."""
        return f"{'cdc' if self.path.startswith('CDC_TXN') else folder}/{self.path}"

    def delivery(self, folder: str = "s/t", has_new_types: bool = False) -> Delivery:
        """The input of the oracle; ``has_new_types``: the table has types that hold each value of the files."""
        statements = (statement.fitting if has_new_types else statement for statement in self.statements)
        rows = None if self.is_broken else tuple(statement.row for statement in statements)
        return Delivery(self.path, self.modified_at, rows, f"{xxhash64(self.key(folder).encode()):016x}")


@dataclass
class Slot:
    """A file to be: its time, the batch that may find it first, and the statements it gets, by life.

    ``is_copy``: a file of a load that is written again as it was. ``is_late``: a file of a reload that may be found
    when the reload is complete already, so all of it can be read. ``may_fail``: one that need not be read whole.
    """

    path: str
    written_at: datetime
    window: int
    batch: int
    lives: list[list[Statement]]
    is_copy: bool = False
    is_late: bool = False
    may_fail: bool = False


def draw_files(random: Random, shape: Shape, keys: int, reloads: bool = True) -> list[File]:
    """The files of one table.

    Args:
        random: the source of every choice.
        shape: the kind of table.
        keys: how many keys live in it.
        reloads: whether the table may be loaded again.

    Returns:
        Object versions in the order of their delivery: batch, then modification time. No path comes twice in a batch,
        and a reload is found before anything that was written later.
    """
    slots = _slots(random, shape)
    loads = [_loads(random, shape)]
    if reloads and random.random() < 0.75:
        loads += _reloads(random, slots, loads[0])
    _spread(random, shape, slots, loads, keys)
    added_from, widened_from, other_from = sorted(slots[random.randrange(len(slots))].written_at for _ in range(3))
    every_slot = sorted(slots + [load for _, group in loads for load in group], key=lambda slot: slot.written_at)
    first_batch = min(slot.batch for slot in every_slot)
    paths = {slot.path for slot in loads[0][1]}
    new_loads = [slot for _, group in loads for slot in group if slot.path not in paths]
    # The files of one load have the same columns.
    begins = {id(slot): min(other.written_at for other in group) for _, group in loads for slot in group}
    files: list[File] = []
    sent: list[Statement] = []
    for slot in every_slot:
        # A load file that first comes with a reload sorts before changes; nothing shows that these lack the column.
        is_early = shape.rules.absent_columns == "keep" and slot in new_loads
        lacks = set() if begins.get(id(slot), slot.written_at) >= added_from and not is_early else {"added"}
        # A column that the table does not have yet can't be marked as unavailable: the first files bring them all.
        if shape.drops_columns and slot.batch > first_batch and random.random() < 0.4:
            lacks |= set(random.sample(tuple(VALUES), random.randint(1, 4)))
        rows = _interleaved(random, slot.lives)
        is_load = slot.path.startswith("LOAD")
        if not is_load:
            if sent and random.random() < 0.2:  # stop and resume: the last rows once more, in a new file
                rows = sent[-random.randint(1, max(1, len(sent) // 10)) :] + rows
            sent = [statement for statement in rows if statement.flaw is None]
            rows = sent + [statement for statement in rows if statement.flaw is not None]
        rows = [_without(statement, lacks) for statement in rows]
        file = File(
            slot.path + shape.suffix,
            slot.written_at,
            slot.batch,
            frozenset(lacks),
            tuple(rows),
            made_at=slot.written_at,
        )
        if shape.lists_types:
            file = _retyped(random, file, OTHERWISE, slot.is_late)
        elif shape.changes_types and slot.written_at >= widened_from:
            file = _retyped(random, file, OTHERWISE if slot.written_at >= other_from else WIDER, slot.is_late)
        if slot.is_copy:
            same = next(earlier for earlier in reversed(files) if earlier.path == file.path)
            # Without names, a record that is as short as before a column came is malformed.
            if shape.data_format == "parquet" or same.lacks == file.lacks:
                file = replace(same, modified_at=file.modified_at, batch=file.batch)
        can_change = not is_load or (len(loads) == 1 and not shape.changes_types)
        if slot.may_fail and random.random() < 0.6:
            files += _failed(random, shape, file)
        else:
            files += _delivered(random, shape, file) if can_change else [file]
    first, *rest = sorted(files, key=lambda file: (file.batch, file.modified_at))
    # A table that has no file is truncated.
    return [replace(first, away=range(0)), *rest]


def _delivered(random: Random, shape: Shape, file: File) -> list[File]:
    """A file as it comes: at once and as it stays; broken or half written at first; away for a while; once more."""
    if file.batch == BATCHES:
        return [file]
    later = random.randint(file.batch + 1, BATCHES)
    corrected = replace(file, batch=later, modified_at=file.modified_at + timedelta(days=later))
    way = random.choice(("again", "again", "broken", "half", "away", "", "", "", "", ""))
    if way == "again" and not file.is_load:
        return [file, corrected]
    if way == "broken" and shape.can_break:
        return [replace(file, is_broken=True), corrected]
    if way == "half" and not shape.can_break and not file.is_load:
        ballast = next(number for number, s in enumerate(file.statements) if s.history == BALLAST)
        half = file.statements[: random.randint(ballast + 1, len(file.statements))]
        # An object store gives whole seconds: both may have one.
        return [replace(file, statements=half), random.choice((corrected, replace(file, batch=later)))]
    if way == "away":
        return [replace(file, away=range(later, random.randint(later, BATCHES) + 1))]
    return [file]


def _failed(random: Random, shape: Shape, file: File) -> list[File]:
    """A file of a reload of which a row has no key, or that nobody can read; corrected later, or never."""
    if shape.can_break and random.random() < 0.5:
        failed = replace(file, is_broken=True)
    elif shape.table.get("mode") != "append":
        ballast = next(statement for statement in file.statements if statement.history == BALLAST)
        row = replace(ballast.row, image={**(ballast.row.image or {}), **dict.fromkeys(shape.key)})
        failed = replace(file, statements=(*file.statements, replace(ballast, row=row)))
    else:
        return [file]
    if file.batch == BATCHES or random.random() < 0.3:
        return [failed]
    later = random.randint(file.batch + 1, BATCHES)
    return [failed, replace(file, batch=later, modified_at=file.modified_at + timedelta(days=later))]


def _retyped(random: Random, file: File, types: Mapping[str, pa.DataType], is_whole: bool) -> File:
    """The file with other types of some columns; a value that its column can't take costs the row, if any may."""

    def retyped(statement: Statement) -> Statement:
        image = statement.row.image
        if image is None:
            return statement
        wider = {"order": random.choice((None, 3, 2**40))}
        wider["key\u2028size"] = random.choice((None, Decimal("123456789012.5")))
        if types is WIDER:
            return replace(statement, row=replace(statement.row, image=image | wider))
        # If no wider file has come yet, its column is as narrow as at first.
        image = image | {"order": random.choice((None, 3)), "v": random.choice((None, "7", "-1"))}
        written = {"order": image["order"] and float(image["order"]), "v": image["v"] and int(image["v"])}
        if random.random() < 0.1 and not statement.flaw and not is_whole:
            unfit = {**image, **written, "order": 0.5}
            if statement.row.operation == "D" and not file.is_load:  # needs its key only (docs/architecture.md)
                return replace(statement, written=unfit)
            return Statement(statement.history, replace(statement.row, image=None), "type", unfit)
        return replace(statement, row=replace(statement.row, image=image), written=written)

    return replace(file, types=types, statements=tuple(map(retyped, file.statements)))


def _slots(random: Random, shape: Shape) -> list[Slot]:
    """Change files in the order of their times, each found in the batch that was next or, late, in a later one."""
    number = random.randint(5, 12)
    windows = sorted(random.randint(1, BATCHES) for _ in range(number))
    if random.random() < 0.3:
        windows = [1] * number  # then any batch may find any of them
    lateness = random.choice((0.2, 0.5, 1.0))
    slots = []
    moment = START
    for window in windows:
        # Two objects of one time have other names: in a date folder or not, with more digits or less.
        if not shape.ties or random.random() < 0.7 or sum(s.written_at == moment for s in slots) not in (1, 2):
            moment += random.choice((10, 977, 60_000, 3_600_000)) * random.randint(1, 9) * timedelta(milliseconds=1)
        names = [
            f"{folder}{moment:%Y%m%d-%H%M%S}{f'{moment.microsecond:06d}'[:digits]}"
            for folder in ("", f"{moment:%Y/%m/%d}/")
            for digits in (3, 4, 6)
        ]
        if shape.has_transactions:
            names = [f"CDC_TXN-{moment:%Y%m%d%H%M%S}{moment.microsecond // 1000:03d}"]
        path = random.choice([name for name in names if name not in [slot.path for slot in slots]])
        batch = random.randint(window, BATCHES) if random.random() < lateness else window
        slots.append(Slot(path, moment, window, batch, []))
    return slots


def _loads(random: Random, shape: Shape) -> tuple[int, list[Slot]]:
    """The first full load: before which slot it was made, and its files."""
    # The first type of a column decides its later ones.
    batch = 1 if shape.changes_types else random.choice((1, 1, 1, random.randint(1, BATCHES)))
    start = START - timedelta(hours=1)
    return 0, [
        Slot(f"LOAD{number:08X}", start + timedelta(minutes=number), 1, batch, [])
        for number in range(1, random.randint(1, 3) + 1)
    ]


def _reloads(random: Random, slots: Sequence[Slot], first: tuple[int, list[Slot]]) -> list[tuple[int, list[Slot]]]:
    """Further loads, the first file of each found in the batch that follows it, and after the load before.

    Some of their files, or all, are copies of what was there. If a file may fail, a name is new and changes follow,
    so that nothing but the failure keeps the reload from being complete.
    """
    loads: list[tuple[int, list[Slot]]] = []
    newest = max(slot.batch for slot in first[1])
    copies, may_fail = random.choice((0, 0, 0.5, 1)), random.random() < 0.5
    there = {slot.path for slot in first[1]}
    while newest < BATCHES and len(loads) < 2:
        batch = random.randint(newest + 1, newest + 1 if may_fail else BATCHES)
        places = [
            place
            for place in range(1, len(slots) + 1)
            if slots[place - 1].window <= batch
            and (
                place == len(slots)
                or (slots[place].window >= batch and slots[place].written_at > slots[place - 1].written_at)
            )
        ]
        if not places:
            break
        inner = [place for place in places if place < len(slots) and slots[place].batch < BATCHES]
        place = random.choice(inner if may_fail and inner else places)
        is_end = place == len(slots)
        number_of_files = len(there) + 1 if may_fail else random.randint(1, 3)
        # The last file of a load may have the time of the change file that follows it: the load comes first.
        last_at = slots[-1].written_at + timedelta(milliseconds=9) if is_end else slots[place].written_at
        start = last_at - timedelta(milliseconds=max(3, number_of_files))
        if loads and start <= loads[-1][1][-1].written_at:
            break
        group = []
        for number in range(1, number_of_files + 1):
            # Copies alone are a redelivery: what was found before the first other file belongs to the load before.
            is_reload = any(not slot.is_copy for slot in group)
            is_late = is_reload and not may_fail and random.random() < 0.3
            late = random.randint(batch, BATCHES) if is_late else batch
            moment = start + timedelta(milliseconds=number)
            path = f"LOAD{number:08X}"
            is_copy = path in there and not may_fail and random.random() < copies
            group.append(Slot(path, moment, batch, late, [], is_copy, late > batch))
            there.add(path)
        loads.append((place, group))
        newest = max(slot.batch for slot in group)
    last = loads[-1][1] if loads else []
    for slot in last[-1:] if may_fail else last:
        slot.may_fail = not slot.is_late and not any(other.is_copy for other in last)
    return loads


def _spread(random: Random, shape: Shape, slots: list[Slot], loads: list[tuple[int, list[Slot]]], keys: int) -> None:
    """Draws the life of every key and hands its statements to the files."""
    draw = Draw(random, shape)
    for number, load in ((number, load) for _, group in loads for number, load in enumerate(group, start=1)):
        load.lives.append([draw.statement(BALLAST, {"h": -number, "part": ""}, "L", load.written_at)])
    for slot in slots:
        slot.lives.append([draw.statement(BALLAST, {"h": BALLAST, "part": ""}, "U", slot.written_at)])
    drawn = 0
    for history in itertools.count(BALLAST + 1):
        identities: list[dict[str, Any]] = [{"h": history}]
        if "part" in shape.key:
            parts = ALIKE_PARTS if "key_comparison" in shape.table else PARTS
            identities = [{"h": history, "part": part} for part in random.sample(parts, random.choice((1, 1, 2, 3)))]
        elif shape.before_images and random.random() < 0.5:
            identities.append({"h": history + SECOND})
        identities = identities[: keys - drawn]
        for identity in identities:
            _live(draw, slots, loads, history, identity, [other for other in identities if other != identity])
            drawn += 1
        if drawn >= keys:
            return


def _live(
    draw: Draw,
    slots: list[Slot],
    loads: list[tuple[int, list[Slot]]],
    history: int,
    identity: dict[str, Any],
    others: list[dict[str, Any]],
) -> None:
    """One life: loaded or not, then statements that mostly make sense, then loaded again or not, and so on."""
    random = draw.random
    places = random.sample(range(len(slots)), random.randint(1, min(4, len(slots))))
    number = random.choice((0, 1, 1, 2, 2, 3, 4, 5, 6, 9))
    times = sorted(random.choice(places) for _ in range(number))
    alive = is_told = False
    for place, slot in enumerate((*slots, None)):
        for load_place, group in loads:
            if load_place == place:
                fresh = [load for load in group if not load.is_copy]
                alive = bool(fresh) and random.random() < (0.6 if place == 0 else 0.85 if alive else 0.1)
                for load in random.sample(fresh, min(len(fresh), 2 if random.random() < 0.05 else 1)) if alive else ():
                    load.lives.append([draw.statement(history, identity, "L", load.written_at)])
                    is_told = True
        if slot is None:
            break
        statements = []
        for _ in range(times.count(place)):
            likely = "UUD" if alive else "IIIIUD"
            operation = random.choice("IUD" if random.random() < 0.15 else likely)
            alive = operation != "D"
            # The other key's life is unchanged: a delete where there is nothing is a change too.
            moved = bool(others) and operation == "U" and random.random() < 0.3
            old = random.choice(others) if moved else None
            statements.append(draw.statement(history, identity, operation, slot.written_at, old))
            is_told = True
        if random.random() < 0.02:
            statements.insert(0, draw.flawed(history, identity, slot.written_at))
        if statements:
            slot.lives.append(statements)
    if not is_told:
        slot = random.choice(slots)
        slot.lives.append([draw.statement(history, identity, random.choice("IUD"), slot.written_at)])


class Draw:
    """Draws the rows of one table."""

    def __init__(self, random: Random, shape: Shape) -> None:
        self.random = random
        self.shape = shape
        self.serial = itertools.count(1)
        self.values: dict[str, Any] = {}

    def statement(
        self,
        history: int,
        identity: dict[str, Any],
        operation: str,
        at: datetime,
        old: dict[str, Any] | None = None,
    ) -> Statement:
        """One good row. Commit times have ties and do not follow the order of the rows."""
        random = self.random
        # The same values as the row before, perhaps that of another key: a change that changes nothing.
        if not self.values or random.random() > 0.15:
            self.values = {"n": next(self.serial)} | {c: random.choice((None, *values)) for c, values in VALUES.items()}
        key = {name: identity[name] for name in self.shape.key}
        image, written = key | dict(self.values), {}
        if operation == "D" and random.random() < 0.7:  # as from PostgreSQL: the key only, or placeholders
            image = key | dict.fromkeys(self.values) | random.choice(({}, PLACEHOLDERS))
            if self.shape.data_format == "csv" and random.random() < 0.5:
                written = UNREADABLE
        elif self.shape.has_token and random.random() < {"U": 0.6, "D": 0.3}.get(operation, 0):
            image |= dict.fromkeys(random.sample(tuple(self.values), random.randint(1, 8)), UNAVAILABLE)
        committed_at = at - timedelta(seconds=random.choice((0, 0, 1, 1, 5, 3600))) if operation != "L" else at
        before = None
        if self.shape.before_images and operation == "U":
            before = {name: (old or identity)[name] for name in self.shape.key}
        row = Row(operation, image, committed_at if self.shape.settings else None, before)
        return Statement(history, row, written=written)

    def flawed(self, history: int, identity: dict[str, Any], at: datetime) -> Statement:
        """One row that silver has to leave out."""
        statement = self.statement(history, identity, "U", at)
        is_csv, has_key = self.shape.data_format == "csv", self.shape.table.get("mode") != "append"
        flaws = FLAWS if is_csv and not self.shape.has_transactions else FLAWS[:1]
        flaw = self.random.choice((*((None,) if has_key else ()), *flaws))
        row = statement.row
        assert row.image is not None
        if flaw is None:  # no value in the key
            return replace(statement, row=replace(row, image={**row.image, **dict.fromkeys(self.shape.key)}))
        if flaw == "operation":
            return Statement(history, replace(row, operation=self.random.choice(("X", None, ""))), flaw)
        return Statement(history, replace(row, image=None), flaw)


def _without(statement: Statement, lacks: Collection[str]) -> Statement:
    image = statement.row.image
    if image is None or not lacks:
        return statement
    image = {name: value for name, value in image.items() if name not in lacks}
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
                row = statement.row
                image, old_key = (_renumbered(values, number) for values in (row.image, row.old_key))
                yield replace(statement, history=number, row=replace(row, image=image, old_key=old_key))

    cut = [replace(file, statements=tuple(c for s in file.statements for c in copies(s))) for file in files]
    return cut, {number: len(part) for number, part in chosen.items()}


def _renumbered(values: Mapping[str, Any] | None, history: int) -> Mapping[str, Any] | None:
    if values is None or values.get("h") is None:
        return values
    return {**values, "h": history + (SECOND if values["h"] >= SECOND else 0)}


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

    def path(self, file: File) -> Path:
        """Where the file is."""
        location = self.folder.parents[1]
        return location / file.key(self.folder.relative_to(location).as_posix())

    def move(self, location: Path) -> None:
        """Moves all objects to another location of the feed, as they are."""
        location.parent.mkdir(parents=True, exist_ok=True)
        self.folder.parents[1].rename(location)
        self.folder = location / self.folder.relative_to(self.folder.parents[1])

    def put(self, file: File) -> None:
        """Makes an object version appear, with its modification time."""
        target = self.path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        made = self._made(file)
        milliseconds = round(file.modified_at.timestamp() * 1000)
        os.utime(made, ns=(milliseconds * 1_000_000,) * 2)
        made.replace(target)

    def names(self, file: File) -> dict[str, str]:
        """The names that a file has for the columns: some files have old ones."""
        old_names = self.shape.old_names if Random(f"{file.path} names").random() < 0.3 else {}
        return {name: old_names.get(name, name) for name in self.shape.columns}

    def _made(self, file: File) -> Path:
        if file.is_broken:
            broken = self.task.root / "broken"
            broken.parent.mkdir(parents=True, exist_ok=True)
            _write_broken(Random(file.path), broken, self.shape)
            return broken
        names = self.names(file)
        types = {
            name: type_ for name, type_ in (self.shape.columns | dict(file.types)).items() if name not in file.lacks
        }
        columns = tuple(Column(names[name], type_) for name, type_ in types.items())
        table = SourceTable("s", self.folder.name, columns, tuple(names[name] for name in self.shape.key))
        rows = [statement for statement in file.statements if self.shape.data_format != "csv" or not statement.flaw]
        images = [
            {
                names[c]: v
                for c, v in {**(s.row.image or {}), **s.written}.items()
                if v is not UNAVAILABLE and c in types
            }
            for s in rows
        ]
        if file.is_load:
            return self.task.full_load(table, images, file.made_at)[0]
        changes = [
            Change(
                "U" if s.flaw else s.row.operation,
                image,
                s.row.committed_at or file.modified_at,
                {names[c]: v for c, v in (s.row.old_key or {}).items()},
            )
            for s, image in zip(rows, images, strict=True)
        ]
        if self.shape.has_transactions:
            made = self.task.transactions(((table, change) for change in changes), file.modified_at)
            _append_lines(made, [f"I,{UNLISTED},s,2024-02-01 00:00:00.000000,1\n"])
            prefix = f"{self.folder.name},s,"
        else:
            made, prefix = self.task.changes(table, changes, file.modified_at)[0], ""
        flawed = [statement for statement in file.statements if statement.flaw]
        if flawed and self.shape.data_format == "csv":
            fields = [*types, *(BEFORE + name for name in self.shape.before_images)]
            lines = [_line(fields, s, prefix) for s in sorted(flawed, key=lambda s: s.flaw == "open quote")]
            _append_lines(made, lines)
        elif flawed:
            _set_operations(made, [statement.row.operation for statement in file.statements])
        return made


def _write_broken(random: Random, path: Path, shape: Shape) -> None:
    """A file of which nothing can be read into the table: each way in which one file may be wrong."""
    alike = pa.struct([("a", pa.int32()), ("A", pa.int32())])
    rows = {"Op": ["I"], "h": pa.array([1], pa.int32()), "part": ["a"], "ts": ["2024-02-01 00:00:00.000000"]}
    of_parquet = ("bytes", "codec", "fields", *(("no key",) if shape.rules.key else ()))
    way = random.choice(of_parquet if shape.data_format == "parquet" else ("bytes", "zip"))
    if way == "codec":
        pq.write_table(pa.table(rows), path, compression="brotli")
    elif way == "no key":
        pq.write_table(pa.table({name: rows[name] for name in ("Op", "ts")}), path)
    elif way == "fields":
        pq.write_table(pa.table({**rows, "v": pa.array([(1, 2)], alike)}), path)
    else:
        path.write_bytes(b"PK\x03\x04 no file of this format" if way == "zip" else b"no file of this format")


def xxhash64(data: bytes, seed: int = 42) -> int:
    """The hash by which the project orders objects of one time: XXH64, with the seed that Spark takes."""
    primes = (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
    )  # fmt: skip
    mask = 2**64 - 1

    def turned(value: int, bits: int) -> int:
        value &= mask
        return (value << bits | value >> (64 - bits)) & mask

    def stirred(lane: int, value: int) -> int:
        return turned(lane + value * primes[1], 31) * primes[0] & mask

    numbers = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data) - len(data) % 8, 8)]
    rest = data[len(numbers) * 8 :]
    result = seed + primes[4]
    whole = len(numbers) // 4 * 4
    if whole:
        lanes = [seed + primes[0] + primes[1], seed + primes[1], seed, seed - primes[0]]
        for at, number in enumerate(numbers[:whole]):
            lanes[at % 4] = stirred(lanes[at % 4], number)
        result = sum(turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
        for lane in lanes:
            result = (result ^ stirred(0, lane)) * primes[0] + primes[3]
    result += len(data)
    for number in numbers[whole:]:
        result = turned(result ^ stirred(0, number), 27) * primes[0] + primes[3]
    if len(rest) >= 4:
        result = turned(result ^ int.from_bytes(rest[:4], "little") * primes[0], 23) * primes[1] + primes[2]
        rest = rest[4:]
    for byte in rest:
        result = turned(result ^ byte * primes[4], 11) * primes[0]
    for bits, prime in ((33, primes[1]), (29, primes[2]), (32, 1)):
        result &= mask
        result = (result ^ result >> bits) * prime & mask
    return result


def _line(names: Sequence[str], statement: Statement, prefix: str) -> str:
    """A CSV record with a flaw, `prefix` behind its operation; what is right in it would change the row of its key."""
    values = ["" if name != "h" else str(statement.history) for name in names]
    values = [*values[:-1], {"open quote": '"open', "value": ""}.get(statement.flaw or "", "text")]
    if statement.flaw == "short":
        values = values[:2]
    if statement.flaw == "value":
        values[names.index("n")] = "many"
    operation = (statement.row.operation or "") if statement.flaw == "operation" else "U"
    return f"{operation},{prefix}" + ",".join(["2024-02-01 00:00:00.000000", *values]) + "\n"


def _append_lines(path: Path, lines: Sequence[str]) -> None:
    text = "".join(lines).encode()
    is_gzip = path.suffix == ".gz"
    content = gzip.decompress(path.read_bytes()) if is_gzip else path.read_bytes()
    path.write_bytes(gzip.compress(content + text, mtime=0) if is_gzip else content + text)


def _set_operations(path: Path, operations: Sequence[str | None]) -> None:
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.column_names.index("Op"), "Op", pa.array(operations, pa.string())), path)
