"""Lists the incidents that need a person, the most urgent first, each with the command that helps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

from python_udfs.cli.console import counted
from python_udfs.pipeline import commands
from python_udfs.pipeline.lag import describe_lateness
from python_udfs.report.facts import Facts, Table
from python_udfs.report.gold import LIMIT, GoldTable
from python_udfs.times import duration_text

# A feed is silent after so many times its longest pause, if that many batches are known and at least an hour has gone.
PAUSES = 2
FEWEST_BATCHES = 5
SHORTEST_SILENCE = timedelta(hours=1)


@dataclass(frozen=True)
class Need:
    """One thing to do.

    Attributes:
        kind: failure, test_error, reload, gap, log, snapshot, lag, gold, expectation, quarantine, silent, never or
            maintenance; docs/runbook.md explains each.
        subject: what it is about.
        message: what was found.
        command: what helps.
        since: when it began, if that is known.
        silver_table: the table, if it is about one.
    """

    kind: str
    subject: str
    message: str
    command: str
    since: datetime | None = None
    silver_table: str | None = None


def needs(facts: Facts) -> list[Need]:
    """All that needs a person."""
    return [
        *_open(facts, "failure"),
        *_open(facts, "test_error"),
        *_open(facts, "reload"),
        *_gaps(facts),
        *_open(facts, "log"),
        *_open(facts, "snapshot"),
        *_late(facts.tables),
        *_forgotten(facts.gold),
        *_unexpected(facts.tables),
        *_open(facts, "quarantine"),
        *_silent(facts),
        *_never_built(facts.tables, facts.gold),
        *_maintenance(facts.tables),
    ]


def _open(facts: Facts, kind: str) -> Iterator[Need]:
    """The incidents of a kind that are not over."""
    for incident in facts.incidents:
        if incident.kind == kind and incident.ended_at is None:
            yield Need(
                kind, incident.subject, incident.message, incident.command, incident.opened_at, incident.silver_table
            )


def _gaps(facts: Facts) -> Iterator[Need]:
    for gap in facts.gaps:
        where = f"{gap.get('feed')}: {gap.get('topic')}/{gap.get('partition')}"
        message = str(gap.get("description") or gap.get("reason"))
        yield Need("gap", where, message, commands.pass_gaps(str(gap.get("feed"))))


def _late(tables: Iterable[Table]) -> Iterator[Need]:
    for table in tables:
        if message := describe_lateness(table.lag_seconds, table.lag_limit_seconds):
            command = commands.build(table.model)
            yield Need("lag", table.silver_table, message, command, None, silver_table=table.silver_table)


def _forgotten(tables: Iterable[GoldTable]) -> Iterator[Need]:
    for table in tables:
        if table.is_forgotten:
            since = min(table.moved.values())
            message = (
                f"it lacks changes of {', '.join(sorted(table.moved))}; after {LIMIT.days} days all rows are computed"
            )
            yield Need("gold", table.gold_table, message, commands.build(table.model), since)


def _unexpected(tables: Iterable[Table]) -> Iterator[Need]:
    for table in tables:
        expectations = table.expectations
        if expectations and expectations.not_met:
            number = f"{len(expectations.not_met)} of {expectations.met + len(expectations.not_met)} not met: "
            reasons = "; ".join(describe_expectation(row) for row in expectations.not_met[:3])
            more = f"; and {len(expectations.not_met) - 3} more" if len(expectations.not_met) > 3 else ""
            command = commands.quality(table.name)
            yield Need(
                "expectation",
                table.silver_table,
                number + reasons + more,
                command,
                expectations.run_at,
                table.silver_table,
            )


def describe_expectation(row: Mapping[str, Any]) -> str:
    """One line about a row of `expectation_results` that is not met."""
    column = f"{row['column_name']} " if row.get("column_name") else ""
    observed = row.get("observed_value") or row.get("message") or ""
    expected = f", expected {row['expected']}" if row.get("expected") else ""
    return f"{column}{row['expectation']} ({row['severity']}): {observed}{expected}"


def _silent(facts: Facts) -> Iterator[Need]:
    """Feeds that have brought nothing for much longer than they use to."""
    runs: dict[str, set[datetime]] = {}
    for table in facts.tables:
        runs.setdefault(table.feed, set()).update(run.committed_at for run in table.runs)
    for feed, times in sorted(runs.items()):
        batches = _separate_builds(times)
        if len(batches) < FEWEST_BATCHES:
            continue
        longest = max(later - earlier for earlier, later in pairwise(batches))
        silence = facts.now - batches[-1]
        if silence > max(PAUSES * longest, SHORTEST_SILENCE):
            message = f"nothing for {_text(silence)}; its longest pause was {_text(longest)}"
            yield Need("silent", feed, message, "dbt source freshness", batches[-1])


def _never_built(tables: Iterable[Table], gold_tables: Iterable[GoldTable]) -> Iterator[Need]:
    message = "no run has written it yet"
    for table in tables:
        if table.state == "none":
            yield Need(
                "never", table.silver_table, message, commands.build(table.model), silver_table=table.silver_table
            )
    for gold in gold_tables:
        if gold.state == "none":
            yield Need("never", gold.gold_table, message, commands.build(gold.model))


def _maintenance(tables: Iterable[Table]) -> Iterator[Need]:
    due = [table for table in tables if table.maintenance]
    if due:
        reasons = ", ".join(f"{table.name} ({table.maintenance})" for table in due[:3])
        more = f" and {len(due) - 3:,} more" if len(due) > 3 else ""
        yield Need("maintenance", counted(len(due), "table"), reasons + more, "dbt run-operation maintain")


def _separate_builds(times: Iterable[datetime]) -> list[datetime]:
    """Times in order, those of one build once: its tables are committed within minutes."""
    builds: list[datetime] = []
    last = datetime.min.replace(tzinfo=timezone.utc)
    for time in sorted(times):
        if time - last > timedelta(minutes=1):
            builds.append(time)
        last = time
    return builds


def _text(duration: timedelta) -> str:
    return duration_text(int(duration.total_seconds()))
