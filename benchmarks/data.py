"""Files as a DMS task would leave them, of tables large enough to measure, with the state that they must end in.

A row is a function of its key and of how often it was written, so the state of a table is one number per key and the
rows can be computed at any time. The same arguments give the same files. Names and columns follow
docs/feeds/dms_format.md; `python_udfs/sample_data/dms_writer.py` writes the same files row by row.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
TIMESTAMP_COLUMN = "dms_timestamp"
INSERTS, UPDATES = 0.2, 0.7  # of a batch; the rest are deletes
# How many keys a batch's updates fall on, as a part of its changes: each is changed about twice.
CHANGED_KEYS = 0.35
RECENT = 0.05  # of the keys, where changes fall on recent ones
ROW_GROUP = 1_000_000
Skew = Literal["uniform", "recent"]
# `name type` as in Spark SQL.
COLUMNS = (
    "id bigint, quantity int, account bigint, price decimal(12,2), rate decimal(18,6), score double, "
    "ordered_on date, changed_at timestamp_ntz, status string, customer string, remark string"
)
NO_ROWS = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))  # keys and versions
_STATUSES = np.array(["new", "paid", "packed", "sent", "returned"])


@dataclass
class TableFiles:
    """One table of a feed, file by file.

    Attributes:
        folder: where its files go, `<feed>/<schema>/<table>`.
        seed: another seed gives other changes.
        skew: changes fall on any key, or on the newest 5 percent.
        versions: how often each key was written, by key from 0; -1: deleted.
    """

    folder: Path
    seed: int = 1
    skew: Skew = "uniform"
    versions: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _files: int = 0

    def load(self, rows: int, rows_per_file: int = 1_000_000) -> list[Path]:
        """Writes the full load of keys 0 to rows - 1; returns its files."""
        self.versions = np.zeros(rows, dtype=np.int32)
        files = []
        for number, first in enumerate(range(0, rows, rows_per_file), start=1):
            keys = np.arange(first, min(first + rows_per_file, rows), dtype=np.int64)
            stamps = np.full(len(keys), 0, dtype=np.int64)
            table = _with_stamps(rows_of(keys, self.versions[keys]), stamps)
            files.append(self._write(f"LOAD{number:08X}.parquet", table, START))
        return files

    def change(self, count: int) -> Path:
        """Writes one change file: inserts, then updates, of most keys more than one, then deletes; returns it."""
        self._files += 1
        random = np.random.default_rng([self.seed, self._files])
        new = np.arange(len(self.versions), len(self.versions) + int(count * INSERTS), dtype=np.int64)
        first = int(len(self.versions) * (1 - RECENT)) if self.skew == "recent" else 0
        alive = first + np.flatnonzero(self.versions[first:] >= 0)
        changed = random.choice(alive, size=max(1, min(len(alive), int(count * CHANGED_KEYS))), replace=False)
        updated = random.choice(np.concatenate([changed, new]), size=int(count * UPDATES))
        deleted = changed[: count - len(new) - len(updated)]
        self.versions = np.concatenate([self.versions, np.zeros(len(new), dtype=np.int32)])
        keys = np.concatenate([new, updated, deleted])
        was_there = keys < len(self.versions) - len(new)
        versions = self.versions[keys] + _places(keys) + was_there
        operations = np.repeat(["I", "U", "D"], [len(new), len(updated), len(deleted)])
        self.versions[keys] = np.where(operations == "D", -1, versions)
        written_at = START + timedelta(minutes=self._files)
        stamps = (written_at - START) // timedelta(microseconds=1) - len(keys) + np.arange(len(keys))
        table = _with_stamps(rows_of(keys, versions), stamps)
        return self._write(
            f"{written_at:%Y%m%d-%H%M%S}000.parquet", table.add_column(0, "Op", pa.array(operations)), written_at
        )

    def state(self) -> Iterator[pa.Table]:
        """The rows that the table must hold now, a million at a time."""
        keys = np.flatnonzero(self.versions >= 0).astype(np.int64)
        for first in range(0, len(keys), ROW_GROUP):
            part = keys[first : first + ROW_GROUP]
            yield rows_of(part, self.versions[part])

    def _write(self, name: str, table: pa.Table, written_at: datetime) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        pq.write_table(table, path, row_group_size=ROW_GROUP, store_schema=False)
        os.utime(path, (written_at.timestamp(), written_at.timestamp()))
        return path


def rows_of(keys: np.ndarray, versions: np.ndarray) -> pa.Table:
    """The rows of these keys after so many changes each.

    Args:
        keys: int64.
        versions: int32, the same length.
    """
    chance = _mixed(keys.astype(np.uint64) * np.uint64(1 << 20) + versions.astype(np.uint64))
    cents = pa.array((chance % np.uint64(10_000_000)).astype(np.int64))
    millionths = pa.array((chance >> np.uint64(16)).astype(np.int64) % 1_000_000_000_000)
    days = pa.array((18_000 + keys % 2_000).astype(np.int32))
    moments = pa.array(1_600_000_000_000_000 + (chance >> np.uint64(24)).astype(np.int64) % 100_000_000_000_000)
    customer = (chance >> np.uint64(40)).astype(np.int64)
    key_text = pc.cast(pa.array(keys), pa.string())
    return pa.table(
        {
            "id": keys,
            "quantity": (chance % np.uint64(1_000)).astype(np.int32),
            "account": (chance >> np.uint64(8)).astype(np.int64) % 1_000_000_007,
            "price": _decimal(cents, 12, 2),
            "rate": _decimal(millionths, 18, 6),
            "score": (chance % np.uint64(100_003)).astype(np.float64) / 7,
            "ordered_on": days.cast(pa.date32()),
            "changed_at": moments.cast(pa.timestamp("us")),
            "status": _STATUSES[(chance % np.uint64(len(_STATUSES))).astype(np.int64)],
            "customer": pc.binary_join_element_wise("Customer", pc.cast(pa.array(customer), pa.string()), " "),
            "remark": pc.binary_join_element_wise(
                "version", pc.cast(pa.array(versions), pa.string()), "of row", key_text, " "
            ),
        }
    )


def _places(keys: np.ndarray) -> np.ndarray:
    """How often each key stands before its own place."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.append(starts, len(ordered)))
    places = np.arange(len(ordered)) - np.repeat(starts, lengths)
    result = np.empty(len(keys), dtype=np.int32)
    result[order] = places
    return result


def _mixed(values: np.ndarray) -> np.ndarray:
    """Bits that look random (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _decimal(digits: pa.Array, precision: int, scale: int) -> pa.Array:
    unit = pa.scalar(Decimal(1).scaleb(-scale))
    return pc.multiply(digits.cast(pa.decimal128(19, 0)), unit).cast(pa.decimal128(precision, scale))


def _with_stamps(table: pa.Table, microseconds: np.ndarray) -> pa.Table:
    first = int(START.timestamp()) * 1_000_000
    moments = pa.array(microseconds + first).cast(pa.timestamp("us"))
    return table.add_column(0, TIMESTAMP_COLUMN, pc.strftime(moments, "%Y-%m-%d %H:%M:%S"))
