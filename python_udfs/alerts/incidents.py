"""Which incidents begin and which are over, from the results of a dbt command and the stored state of the tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from python_udfs.cli.console import counted
from python_udfs.pipeline import commands
from python_udfs.pipeline.lag import describe_lateness, measure_lag
from python_udfs.pipeline.results import FAILED, PASSED, STOPPED, TEST_FAILED
from python_udfs.pipeline.table_config import Source
from python_udfs.times import time_of

# Counting the waiting rows of a table is a query of its bronze table: a run asks so many, the longest unasked first.
MOST_COUNTED = 5
LONGEST_MESSAGE = 2000
_PLACE = re.compile(r"\w+ Error in .+ \(.+\)$|compiled code at |> (in|called by) macro ")
# An incident that was over before anybody could be called is reported until so long after its end.
LATE_NOTICE = timedelta(days=1)
# Kinds of incidents that are a node's failure.
FAILURES = ("failure", "test_error")
# The data test that fails while a reload of its table waits: an incident of the table, not of the test.
RELOAD_TEST = "every_reload_is_complete_"
TESTS = ("test", "unit_test")
# Doubts of a run about the order of messages: kind, the column of the macro cdc_incident_runs_sql, and what it means.
DOUBTS = {
    "log": (
        "log_began_again_at",
        "the source's log began again at smaller positions: silver ignores its changes",
    ),
    "snapshot": (
        "second_snapshot_at",
        "a second snapshot came: rows that were deleted before it may stay, and without a key rows are there twice",
    ),
}


@dataclass(frozen=True)
class Incident:
    """A row of `etl_metadata.incidents`; its columns are described in models/etl_metadata/_etl_metadata.yml."""

    kind: str
    subject: str
    opened_at: datetime
    silver_table: str | None = None
    message: str = ""
    command: str = ""
    looked_at: datetime | None = None
    ended_at: datetime | None = None
    opening_sent_at: datetime | None = None
    end_sent_at: datetime | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Incident:
        """Takes a row as Spark writes it in JSON: a column that is NULL may be missing."""
        values = {name: time_of(row.get(name)) if name.endswith("_at") else row.get(name) for name in COLUMNS}
        return cls(**{**values, "message": values["message"] or "", "command": values["command"] or ""})  # type: ignore[arg-type]

    def to_send(self, now: datetime) -> str | None:
        """`opened` or `ended` if a webhook or command has yet to take it, else None."""
        if self.ended_at is None:
            return None if self.opening_sent_at else "opened"
        if self.end_sent_at or (not self.opening_sent_at and now - self.ended_at > LATE_NOTICE):
            return None
        return "ended"

    def sent(self, now: datetime) -> Incident:
        """The same after it was taken."""
        return replace(self, end_sent_at=now) if self.ended_at else replace(self, opening_sent_at=now)

    def row(self) -> dict[str, str | None]:
        """A row for the table, times as text that Spark casts."""
        return {
            name: value.strftime("%Y-%m-%d %H:%M:%S.%f") if isinstance(value, datetime) else value
            for name, value in asdict(self).items()
        }


COLUMNS = tuple(Incident.__dataclass_fields__)


@dataclass(frozen=True)
class Silver:
    """A silver model: its table, the alias of that, and the limit of its lag in seconds, None without one."""

    model: str
    table: str
    name: str
    source: Source
    lag_limit: float | None


@dataclass(frozen=True)
class State:
    """Facts at the end of a dbt command.

    Attributes:
        now: UTC.
        results: name, resource type, status, message, and the silver table of each node that the command ran.
        is_whole: whether the command read all nodes of the project, tests included.
        names: names of these.
        tables: silver models by table.
        runs: rows of the macro `cdc_incident_runs_sql`, by silver table.
        gaps: rows of the view `kafka_gaps` that wait; None in a project that reads no Kafka.
    """

    now: datetime
    results: tuple[Mapping[str, Any], ...]
    is_whole: bool
    names: frozenset[str]
    tables: Mapping[str, Silver]
    runs: Mapping[str, Mapping[str, Any]]
    gaps: tuple[Mapping[str, Any], ...] | None

    @cached_property
    def unrecorded(self) -> frozenset[str]:
        """Tables that the command has built and whose run is not in `runs`: their lag is that of an earlier run."""
        built = [result for result in self.results if result["status"] in PASSED]
        if any(result["name"] == "run_metrics" for result in built):
            return frozenset()
        models = {table.model: name for name, table in self.tables.items()}
        return frozenset(models[result["name"]] for result in built if result["name"] in models)


def changed(state: State, incidents: Iterable[Incident], count_waiting: Callable[[str], int | None]) -> list[Incident]:
    """The incidents that begin, end or are seen in another way.

    Args:
        state: what the end of a dbt command knows.
        incidents: the incidents that are open or have yet to be reported, and all of the kinds that are about a run.
        count_waiting: how many rows of a silver table wait in quarantine; None if that cannot be asked.
    """
    incidents = list(incidents)
    is_open = {(incident.kind, incident.subject): incident for incident in incidents if incident.ended_at is None}
    current = {
        (incident.kind, incident.subject): incident
        for incident in (
            *_failures(state),
            *_lags(state),
            *_gaps(state),
            *_doubts(state, incidents),
            *_quarantines(state, incidents),
        )
    }
    begun = [incident for key, incident in current.items() if key not in is_open]
    # The error of a node may have another cause now, which takes another remedy.
    begun += [
        replace(is_open[key], message=incident.message, command=incident.command)
        for key, incident in current.items()
        if key in is_open and incident.kind in FAILURES and incident.message != is_open[key].message
    ]
    others = [incident for key, incident in is_open.items() if key not in current]
    over = [replace(incident, ended_at=state.now) for incident in others if _is_over(state, incident)]
    return begun + over + list(_counted(state, is_open.values(), count_waiting))


def _failures(state: State) -> Iterable[Incident]:
    for result in state.results:
        if _is_reload(result) and result["status"] == TEST_FAILED:
            table = state.tables[result["silver_table"]]
            message = "a part of a reload could not be read: nothing is removed until it is, or the reload is released"
            yield Incident("reload", table.table, state.now, table.table, message, commands.replay(table.name))
        elif result["status"] in FAILED:
            name, is_test = result["name"], result["resource_type"] in TESTS
            command = commands.test(name) if is_test else commands.build(name)
            message = find_cause(str(result["message"] or result["status"]))[:LONGEST_MESSAGE]
            # A test that stops has found nothing: what it guards is not known to be right or wrong.
            kind = "test_error" if is_test and result["status"] in STOPPED else "failure"
            yield Incident(kind, name, state.now, result["silver_table"], message, command)


def find_cause(message: str) -> str:
    """Dbt's message without what says where: the subject of the incident is the node, and its beginning is shown."""
    lines = [line.strip() for line in message.strip().splitlines()]
    lines = [line for line in lines if not _PLACE.match(line)]
    return "\n".join(lines).strip() or message.strip()


def _is_reload(result: Mapping[str, Any]) -> bool:
    return str(result["name"]).startswith(RELOAD_TEST) and result["silver_table"] is not None


def _lags(state: State) -> Iterable[Incident]:
    for name, table in state.tables.items():
        lag = None if name in state.unrecorded else _lag(state, table)
        if message := describe_lateness(lag, table.lag_limit):
            yield Incident("lag", name, state.now, name, message, commands.build(table.model))


def _gaps(state: State) -> Iterable[Incident]:
    for gap in state.gaps or ():
        message = str(gap.get("description") or gap.get("reason"))[:LONGEST_MESSAGE]
        subject = f"{gap['feed']}: {gap['topic']}/{gap['partition']} from {gap['from_offset']}"
        yield Incident("gap", subject, state.now, None, message, commands.pass_gaps(gap["feed"]))


def _doubts(state: State, incidents: Iterable[Incident]) -> Iterable[Incident]:
    """Tables of which a run found that the source's log began again, or a second snapshot."""
    judged = _judged_runs(incidents)
    for name, table in state.tables.items():
        for kind, (column, wording) in DOUBTS.items():
            at = time_of(state.runs.get(name, {}).get(column))
            if at and _is_new(at, judged.get((kind, name))):
                message = f"{wording}, seen by the run that ended {at:%Y-%m-%d %H:%M} UTC"
                yield Incident(kind, name, state.now, name, message, commands.read_again(table.source), at)


def _quarantines(state: State, incidents: Iterable[Incident]) -> Iterable[Incident]:
    """Those of runs that no incident has been about; an open one of the same table is among what is known."""
    judged = _judged_runs(incidents)
    for name, table in state.tables.items():
        run = state.runs.get(name, {})
        at = time_of(run.get("quarantined_at"))
        if at and _is_new(at, judged.get(("quarantine", name))):
            rows = counted(int(run["rows_quarantined"]), "row")
            message = f"{rows} in quarantine, of the run that ended {at:%Y-%m-%d %H:%M} UTC"
            newest = time_of(run["committed_at"])
            yield Incident("quarantine", name, state.now, name, message, commands.replay(table.name), newest)


def _judged_runs(incidents: Iterable[Incident]) -> dict[tuple[str, str], datetime]:
    """The newest run that an incident of a kind and a subject was about, whether that is over or not."""
    judged: dict[tuple[str, str], datetime] = {}
    for incident in incidents:
        if incident.looked_at:
            key = (incident.kind, incident.subject)
            judged[key] = max(incident.looked_at, judged.get(key, incident.looked_at))
    return judged


def _is_new(run: datetime, judged: datetime | None) -> bool:
    return judged is None or run > judged


def _is_over(state: State, incident: Incident) -> bool:
    if incident.kind in FAILURES:
        over = PASSED | ({TEST_FAILED} if incident.kind == "test_error" else set())
        passed = {result["name"] for result in state.results if result["status"] in over}
        return incident.subject in passed or (state.is_whole and incident.subject not in state.names)
    if incident.kind == "reload":
        whole = {
            result["silver_table"] for result in state.results if _is_reload(result) and result["status"] in PASSED
        }
        return incident.subject in whole or incident.subject not in state.tables
    if incident.kind == "lag":
        table = state.tables.get(incident.subject)
        is_asked = incident.subject not in state.unrecorded and table is not None and _lag(state, table) is not None
        return table is None or table.lag_limit is None or is_asked
    if incident.kind == "gap":
        return state.gaps is not None
    return incident.kind in ("quarantine", *DOUBTS) and incident.subject not in state.tables


def _counted(
    state: State, is_open: Iterable[Incident], count_waiting: Callable[[str], int | None]
) -> Iterable[Incident]:
    """Open incidents of quarantine whose table has had a run since they were judged: over, if no row waits."""
    due = []
    for incident in is_open:
        newest = time_of(state.runs.get(incident.subject, {}).get("committed_at"))
        looked_at = incident.looked_at or incident.opened_at
        if incident.kind == "quarantine" and incident.subject in state.tables and newest and newest > looked_at:
            due.append((looked_at, newest, incident))
    for _, newest, incident in sorted(due, key=lambda each: each[0])[:MOST_COUNTED]:
        waiting = count_waiting(incident.subject)
        if waiting is not None:
            ended_at = None if waiting else state.now
            yield replace(
                incident, looked_at=newest, ended_at=ended_at, message=f"{counted(waiting, 'row')} in quarantine"
            )


def _lag(state: State, table: Silver) -> float | None:
    return measure_lag(state.now, time_of(state.runs.get(table.table, {}).get("newest_committed_at")))
