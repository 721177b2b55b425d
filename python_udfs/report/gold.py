"""Facts of each gold table for the report: its newest refresh, and whether it follows its inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from python_udfs.pipeline.maintenance import Settings
from python_udfs.times import time_of

# `maintain` drops what the next refresh needs after so long, with its defaults; half of it before, the report warns.
LIMIT = timedelta(days=Settings().gold_days)


@dataclass(frozen=True)
class GoldTable:
    """A gold table; a number that is not recorded is None.

    Attributes:
        way: how its newest refresh wrote it; empty: no refresh has made its newest rows.
        reason: why that way.
        keys: that it computed; None: all.
        moved: when the first change that the table lacks was committed, by input.
        checked_at: when `gold_matches_recomputation` passed last.
        is_failing: whether an incident about it is open.
    """

    model: str
    gold_table: str
    description: str
    now: datetime
    is_built: bool = False
    committed_at: datetime | None = None
    started_at: datetime | None = None
    way: str = ""
    reason: str = ""
    keys: int | None = None
    rows: int | None = None
    bytes: int | None = None
    data_files: int | None = None
    delete_files: int | None = None
    moved: Mapping[str, datetime] = field(default_factory=dict)
    checked_at: datetime | None = None
    is_failing: bool = False

    @classmethod
    def of(
        cls, row: Mapping[str, Any], now: datetime, checked_at: datetime | None, failing: Collection[str]
    ) -> GoldTable:
        """Takes an item of `list_refreshes`.

        Args:
            row: the item.
            now: when the report is made.
            checked_at: of the table.
            failing: subjects of open failures.
        """
        values = {name: row[name] for name in cls.__dataclass_fields__ if row.get(name) is not None}
        values |= {name: time_of(row.get(name)) for name in ("committed_at", "started_at")}
        values["moved"] = {name: time_of(at) for name, at in (row.get("moved") or {}).items()}
        is_failing = bool({row["model"], f"gold_matches_recomputation_{row['model']}_"} & set(failing))
        return cls(**values, now=now, checked_at=checked_at, is_failing=is_failing)

    @property
    def name(self) -> str:
        """The table without its schema."""
        return self.gold_table.partition(".")[2]

    @property
    def run_seconds(self) -> float | None:
        """How long the newest refresh took."""
        return (self.committed_at - self.started_at).total_seconds() if self.committed_at and self.started_at else None

    @property
    def behind_seconds(self) -> float | None:
        """Since when it lacks a change of an input, to now; 0: it has all; None: no refresh has made it."""
        if not self.way:
            return None
        return (self.now - min(self.moved.values())).total_seconds() if self.moved else 0.0

    @property
    def is_forgotten(self) -> bool:
        """Whether it has been behind for half of the time that `maintain` keeps what its next refresh needs."""
        return (self.behind_seconds or 0) > LIMIT.total_seconds() / 2

    @property
    def state(self) -> str:
        """The most urgent that is true.

        One of failing, none (not built yet), foreign (another program has written it), behind (an input has moved),
        unchecked (not compared with its query since its newest refresh) and good.
        """
        if self.is_failing:
            return "failing"
        if not self.is_built:
            return "none"
        if not self.way:
            return "foreign"
        if self.moved:
            return "behind"
        is_checked = self.checked_at and self.committed_at and self.checked_at >= self.committed_at
        return "good" if is_checked else "unchecked"
