"""Facts of each table for the report: the stored numbers of its last runs, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from python_udfs.alerts.incidents import DOUBTS, FAILURES, Incident
from python_udfs.cli.console import counted
from python_udfs.pipeline.lag import is_late, measure_lag
from python_udfs.pipeline.maintenance import Settings
from python_udfs.pipeline.table import source_of
from python_udfs.report.gold import GoldTable
from python_udfs.times import time_of

# How many runs of a table are read and drawn, and how many are shown as marks and as rows.
RUNS = 30
MARKS = 5
ROWS = 10
# The verdict of `maintain` with its defaults is foretold from the totals of the table.
THRESHOLDS = Settings()


@dataclass(frozen=True)
class Run:
    """A run of a silver table: a row of `run_metrics`; a number that was not recorded is None.

    Attributes:
        lag_seconds: from the newest change that it applied, at the source, to its commit.
        run_seconds: how long bronze and silver took.
        deleted_rows: rows that delete files hide.
    """

    committed_at: datetime
    newest_committed_at: datetime | None = None
    changes: int | None = None
    rows_inserted: int | None = None
    rows_updated: int | None = None
    rows_deleted: int | None = None
    rows_total: int | None = None
    ties: int | None = None
    not_applied: int | None = None
    rows_quarantined: int | None = None
    run_seconds: float | None = None
    bytes: int | None = None
    data_files: int | None = None
    delete_files: int | None = None
    deleted_rows: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Run:
        """Takes a row of `cdc_report_runs_sql`."""
        numbers = {name: row[name] for name in cls.__dataclass_fields__ if row.get(name) is not None}
        numbers["committed_at"] = time_of(row["committed_at"])
        numbers["newest_committed_at"] = time_of(row.get("newest_committed_at"))
        return cls(**numbers)

    @property
    def lag_seconds(self) -> float | None:
        """None if nothing of the table has been applied yet."""
        newest = self.newest_committed_at
        return (self.committed_at - newest).total_seconds() if newest else None


@dataclass(frozen=True)
class Mark:
    """One of the last runs: `done`, `quarantined` (done, with rows left out) or `failed`."""

    state: str
    at: datetime


@dataclass(frozen=True)
class Expectations:
    """Results of the newest run of `make quality` for a table.

    Attributes:
        run_at: when the run started.
        met: how many expectations are met.
        not_met: rows of `expectation_results` that are not, those of severity `error` first.
    """

    run_at: datetime | None
    met: int
    not_met: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Expectations:
        """Takes a row of `cdc_report_expectations_sql`."""
        not_met = sorted(row["not_met"], key=lambda expectation: (expectation["severity"] != "error", str(expectation)))
        return cls(time_of(row["run_at"]), row["met"], tuple(not_met))

    @property
    def has_errors(self) -> bool:
        """Whether one of severity `error` is not met."""
        return any(expectation["severity"] == "error" for expectation in self.not_met)


@dataclass(frozen=True)
class Table:
    """A silver table with its last runs, oldest first."""

    model: str
    silver_table: str
    name: str
    feed: str
    source: str
    mode: str
    description: str
    is_partitioned: bool
    lag_limit_seconds: float | None
    now: datetime
    runs: tuple[Run, ...] = ()
    incidents: tuple[Incident, ...] = ()
    checked_at: datetime | None = None
    has_gap: bool = False
    rejected_files: int = 0
    expectations: Expectations | None = None

    @property
    def newest(self) -> Run | None:
        """The last run with changes."""
        return self.runs[-1] if self.runs else None

    @property
    def open_incidents(self) -> tuple[Incident, ...]:
        """Those that are not over."""
        return tuple(incident for incident in self.incidents if incident.ended_at is None)

    @property
    def lag_seconds(self) -> float | None:
        """From the newest change that silver has to now, see `measure_lag`."""
        return measure_lag(self.now, self.newest.newest_committed_at if self.newest else None)

    @property
    def is_late(self) -> bool:
        """Whether the lag is over the table's limit; never without a limit."""
        return is_late(self.lag_seconds, self.lag_limit_seconds)

    @property
    def not_met(self) -> int | None:
        """How many expectations the newest run found not met; None if there was no run."""
        return len(self.expectations.not_met) if self.expectations else None

    @property
    def state(self) -> str:
        """The most urgent that is true.

        One of failing (or a reload waits), gap, doubted (a log or a snapshot came again), late, unexpected, rejected,
        quarantine, none (no run yet), unchecked (not compared with bronze since its last run) and good.
        """
        kinds = {incident.kind for incident in self.open_incidents}
        if kinds & {"failure", "test_error", "reload"}:
            return "failing"
        if self.has_gap:
            return "gap"
        if kinds & set(DOUBTS):
            return "doubted"
        if self.is_late:
            return "late"
        if self.expectations and self.expectations.has_errors:
            return "unexpected"
        if self.rejected_files:
            return "rejected"
        if "quarantine" in kinds:
            return "quarantine"
        if self.newest is None:
            return "none"
        return "good" if self.checked_at and self.checked_at >= self.newest.committed_at else "unchecked"

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The last runs, oldest first. A failure counts once, from its beginning to its end."""
        failed = [Mark("failed", incident.opened_at) for incident in self.incidents if incident.kind == "failure"]
        done = [Mark("quarantined" if run.rows_quarantined else "done", run.committed_at) for run in self.runs]
        return tuple(sorted(failed + done, key=lambda mark: mark.at)[-MARKS:])

    @property
    def run_time_trend(self) -> float | None:
        """The last run time over the median of those before; None with less than three before, or none recorded."""
        times = [run.run_seconds for run in self.runs if run.run_seconds is not None]
        usual = median(times[:-1]) if len(times) > 3 else 0
        return times[-1] / usual if usual else None

    @property
    def maintenance(self) -> str:
        """Why `maintain` would do something at silver, from totals alone; empty: nothing is known to be due.

        Small files of a partitioned table are not judged: totals do not show how they are spread.
        """
        run = self.newest
        if run is None or run.data_files is None:
            return ""
        hidden = run.deleted_rows or 0
        if THRESHOLDS.has_many_deletes(hidden, (run.rows_total or 0) + hidden):
            return f"deletes hide {counted(hidden, 'row')}"
        small = run.data_files - (run.bytes or 0) // THRESHOLDS.small_bytes
        if not self.is_partitioned and THRESHOLDS.has_many_small_files(small):
            return f"{small:,} small files"
        return ""


@dataclass(frozen=True)
class Facts:
    """All that the report shows; `gaps` and `topics` are rows of the views `kafka_gaps` and `kafka_lag`."""

    now: datetime
    tables: tuple[Table, ...] = ()
    incidents: tuple[Incident, ...] = ()
    gaps: tuple[Mapping[str, Any], ...] = ()
    topics: tuple[Mapping[str, Any], ...] = ()
    gold: tuple[GoldTable, ...] = ()

    @classmethod
    def of(cls, answer: Mapping[str, Any], now: datetime) -> Facts:
        """Takes what the macro `cdc_report` answers."""
        runs: dict[str, list[Run]] = {}
        for row in answer["runs"]:
            runs.setdefault(row["silver_table"], []).append(Run.of(row))
        incidents = tuple(Incident.of(row) for row in answer["incidents"])
        checks = {row["silver_table"]: time_of(row.get("checked_at")) for row in answer["checks"]}
        expectations = {row["silver_table"]: Expectations.of(row) for row in answer["expectations"]}
        rejected = {source_of(row): row["files"] for row in answer["rejected"]}
        gaps = tuple(row for row in answer["gaps"] if row.get("status") == "waiting")
        tables = [
            Table(
                **{name: row[name] for name in ("model", "silver_table", "name", "feed", "mode", "is_partitioned")},
                source=f"{row['source_schema']}.{row['source_table']}",
                description=row.get("description") or "",
                lag_limit_seconds=_seconds(row.get("lag_limit_minutes")),
                now=now,
                runs=tuple(runs.get(row["silver_table"], ())),
                incidents=tuple(incident for incident in incidents if incident.silver_table == row["silver_table"]),
                checked_at=checks.get(row["silver_table"]),
                rejected_files=rejected.get(source_of(row), 0),
                has_gap=row["feed"] in {gap["feed"] for gap in gaps},
                expectations=expectations.get(row["silver_table"]),
            )
            for row in answer["tables"]
        ]
        tables.sort(key=lambda table: table.silver_table)
        failing = {each.subject for each in incidents if each.ended_at is None and each.kind in FAILURES}
        gold = [GoldTable.of(row, now, checks.get(row["gold_table"]), failing) for row in answer["gold"]]
        gold.sort(key=lambda table: table.gold_table)
        return cls(now, tuple(tables), incidents, gaps, tuple(answer["topics"]), tuple(gold))


def _seconds(minutes: Any) -> float | None:
    try:
        return None if minutes is None else float(minutes) * 60
    except (TypeError, ValueError):
        return None
