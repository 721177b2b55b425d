"""Incidents at the end of a dbt command: found, recorded, and reported."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from pyspark.sql import SparkSession

from dbt.adapters.sparksession import snapshots
from python_udfs.alerts import notice
from python_udfs.alerts.incidents import TESTS, Incident, Silver, State, changed
from python_udfs.errors import LakehouseError
from python_udfs.pipeline.empty_tables import list_columns
from python_udfs.pipeline.hooks import create_recorded, find_failed_rows
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.results import FAILED
from python_udfs.pipeline.table import holds_data, read_models, read_source, source_of
from python_udfs.pipeline.table_config import Source
from python_udfs.pipeline.warehouse import Relation
from spark_files.errors import is_spark_error

logger = AdapterLogger("Lakehouse")
# If nothing has begun or ended, lag is looked at so often: `make watch` ends a command every few seconds.
SECONDS = 60.0
# Only commands with results that count.
COMMANDS = ("build", "run", "test")


@dataclass
class _Look:
    """The last look of this process.

    Attributes:
        at: when, by the clock that never goes back.
        snapshot_id: of `incidents`, before that look wrote to it.
        passed: models that had passed then and have not failed since.
    """

    at: float = float("-inf")
    snapshot_id: int | None = None
    passed: set[str] = field(default_factory=set)


_last = _Look()


def report_incidents(project: Project, results: Sequence[Any], nodes: Mapping[str, Any], which: str) -> None:
    """Records what begins and ends to need a person, and has it reported. Nothing here fails the command.

    Args:
        project: with the tables.
        results: dbt's results of the command.
        nodes: nodes of dbt's graph by unique id, as dictionaries.
        which: the command.
    """
    if which not in COMMANDS:
        return
    incidents = project.name_relation("incidents")
    if not is_due(results, str(incidents)):
        return
    sql, built = project.sql, project.find_built(["incidents", "run_metrics", "kafka_gaps"])
    answers = {
        "incidents": _ask(project, sql["cdc_incidents_sql"], built.get("incidents")),
        "runs": _ask(project, sql["cdc_incident_runs_sql"], built.get("run_metrics")),
        "gaps": _ask(project, sql["cdc_waiting_gaps_sql"], built["kafka_gaps"]) if "kafka_gaps" in built else None,
    }
    failed_rows = find_failed_rows(project.warehouse, results)
    rows = judge_incidents(results, nodes, which, answers, lambda table: _count_waiting(project, table), failed_rows)
    error = _write(project, incidents, "incidents" in built, rows) if rows else None
    if error:
        warn_not_written(error)


def _ask(project: Project, write_sql: Callable[[Relation], str], relation: Relation | None) -> list[Any] | None:
    """Rows of a table; none if it has not been built yet, and None if it cannot be read."""
    try:
        return project.ask_plain(write_sql(relation)) if relation else []
    except LakehouseError:
        return None


def _count_waiting(project: Project, silver_table: str) -> int | None:
    """How many rows of a silver table wait in quarantine; None if that cannot be asked. It is called for few tables."""
    model = project.models.of_relation(silver_table)
    bronze = project.find_table("bronze", model.cdc) if model else None
    if model is None or bronze is None:
        return None
    waiting_sql = project.sql["cdc_waiting_sql"](project.describe_bronze(bronze), bronze)
    answer = project.warehouse.attempt(project.sql["cdc_count_sql"](f"(\n{waiting_sql}\n)"))
    return None if answer["error"] else int(answer["rows"][0]["row_count"])


def _write(project: Project, incidents: Relation, exists: bool, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns Spark's message if the rows were not written. The view has texts, which the statement casts."""
    columns = list_columns("incidents")
    project.warehouse.rows_view("incidents_new", rows, ", ".join(f"{column.name} string" for column in columns))
    error = None if exists else create_recorded(project.warehouse, incidents, columns)
    if error:
        return error
    written: str | None = project.warehouse.attempt(project.sql["cdc_record_incidents_sql"](incidents))["error"]
    return written


def is_due(results: Iterable[Any], incidents: str) -> bool:
    """Whether incidents may have begun or ended, or a minute has passed.

    A model that passes again changes nothing. A new row in `run_metrics` does.

    Args:
        results: dbt's results of the command.
        incidents: name of the table, which may not exist yet.
    """
    results, now = list(results), time.monotonic()
    failed = {result.node.name for result in results if str(result.status) in FAILED}
    passed = {result.node.name for result in results if holds_data(result.node)} - failed
    snapshot_id = _snapshot_id(incidents)
    # The table has changed where another process, or the last look, wrote to it: somebody may have yet to be called.
    is_same = not failed and passed <= _last.passed and snapshot_id == _last.snapshot_id
    if is_same and now - _last.at < SECONDS and not any(_is_judged(result.node) for result in results):
        return False
    _last.at, _last.snapshot_id, _last.passed = now, snapshot_id, (_last.passed | passed) - failed
    return True


def judge_incidents(
    results: Iterable[Any],
    nodes: Mapping[str, Any],
    which: str,
    answers: Mapping[str, Any],
    count_waiting: Callable[[str], Any],
    failed_rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> list[dict[str, str | None]]:
    """Finds what has changed, and calls the webhook and the command for it. It warns where others would fail.

    Args:
        results: dbt's results of the command.
        nodes: nodes of dbt's graph by unique id, as dictionaries.
        which: the command.
        answers: rows of `incidents`, `runs` and `gaps`; each may be None if the table could not be read, and `gaps`
            if there is no Kafka.
        count_waiting: as in `changed`.
        failed_rows: the first rows that a failed data test found, by its unique id.

    Returns:
        Rows to write.
    """
    # Spark's JSON has milliseconds: with more, a row would not be found again by the time that it was opened.
    now = datetime.now(timezone.utc)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    try:
        if answers["incidents"] is None or answers["runs"] is None:
            logger.warning(
                "Alerts: the state of the tables could not be read; the end of the next command looks again."
            )
            return []
        incidents = [Incident.of(row) for row in answers["incidents"]]
        state = _state(now, results, nodes, which, answers, failed_rows)
        rows = {(incident.kind, incident.subject, incident.opened_at): incident for incident in incidents}
        new = {
            (incident.kind, incident.subject, incident.opened_at): incident
            for incident in changed(state, incidents, count_waiting)
        }
        events = [(event, incident) for incident in {**rows, **new}.values() if (event := incident.to_send(now))]
        if events and notice.is_wanted():
            is_taken, problems = notice.send(events, now)
            for problem in problems:
                again = "" if is_taken else " It is called again at the end of the next command."
                logger.warning(f"Alerts: {problem}{again}")
            if is_taken:
                new |= {
                    (incident.kind, incident.subject, incident.opened_at): incident.sent(now) for _, incident in events
                }
        return [incident.row() for incident in new.values()]
    except Exception as error:  # an alert never fails a build
        logger.warning(f"Alerts: {type(error).__name__} while the results were judged: {error}")
        return []


def warn_not_written(error: str) -> None:
    """Warns that the rows were not written: the next command finds the same, and calls again."""
    logger.warning(f"Alerts: etl_metadata.incidents could not be written: {' '.join(error.split())[:500]}")


def _snapshot_id(table: str) -> int | None:
    """The table's newest snapshot; None if there is none, or it cannot be read, of which `judge_incidents` warns."""
    try:
        return snapshots.current_snapshot_id(SparkSession.builder.getOrCreate(), table)
    except Exception as error:
        if not is_spark_error(error):
            raise
        return None


def _is_judged(node: Any) -> bool:
    return node.resource_type in TESTS or node.name == "run_metrics"


def _state(
    now: datetime,
    results: Iterable[Any],
    nodes: Mapping[str, Any],
    which: str,
    answers: Mapping[str, Any],
    failed_rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> State:
    models = read_models(nodes.values())
    tables = {}
    for model in models.of_layer("silver"):
        limit = model.lag_limit_minutes
        seconds = None if limit is None else float(limit) * 60
        tables[model.relation] = Silver(model.name, model.relation, model.alias, model.source, seconds)
    by_source = {table.source: table.table for table in tables.values()}
    node_results = []
    for result in results:
        rows = failed_rows.get(result.node.unique_id) or ()
        first = dict(rows[0]) if rows else {}
        # A test over all tables names one in its rows.
        named = first.get("silver_table") or _table_of(by_source, first)
        node_results.append(
            {
                "name": result.node.name,
                "resource_type": str(result.node.resource_type),
                "status": str(result.status),
                "message": _message(result, rows),
                "silver_table": _table_of_node(by_source, result.node, nodes) or named,
            }
        )
    return State(
        now=now,
        results=tuple(node_results),
        is_whole=which in ("build", "test"),
        names=frozenset(str(node["name"]) for node in nodes.values()),
        tables=tables,
        runs={row["silver_table"]: row for row in answers["runs"]},
        gaps=None if answers["gaps"] is None else tuple(answers["gaps"]),
    )


def _message(result: Any, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns the error of a node; of a data test, the first row that it found: which table, which file."""
    if not rows:
        return result.message if result.message is None else str(result.message)
    first = ", ".join(f"{name}={value}" for name, value in rows[0].items() if value is not None)
    failures = result.failures or len(rows)
    return first if failures == 1 else f"{first} and {failures - 1:,} more"


def _table_of_node(by_source: Mapping[Source, str], node: Any, nodes: Mapping[str, Any]) -> str | None:
    """The table that a node is about: its own, or that of the model that a generic test is of."""
    attached = nodes.get(getattr(node, "attached_node", None) or "")
    source = read_source(node) or (read_source(attached) if attached else None)
    return by_source.get(source) if source else None


def _table_of(by_source: Mapping[Source, str], row: Mapping[str, Any]) -> str | None:
    return by_source.get(source_of(row)) if "feed" in row else None
