"""The loop of the continuous mode.

A cycle lists the landing area through dbt and asks brokers for their last offsets, then runs dbt for the tables with
new changes alone. Tests, and the views that read every table, are left to ``dbt build``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.sparksession import snapshots
from python_udfs.cli.console import duration_text, say, text_table
from python_udfs.errors import LakehouseError
from python_udfs.paths import PROJECT_ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from python_udfs.watch.topics import Topics

# A table that failed is tried again when it has new changes, or after so many seconds.
SECONDS_TO_RETRY = 60.0
LISTING = ("raw_listing", "rejected_files")
# Views are current without being made again, and making them reads every table's metadata. So does run_metrics.
METRICS = ("run_metrics", "incidents")
NO_VIEWS = ("--exclude", "path:models/etl_metadata,config.materialized:view", *METRICS)
LAG_HEAD = ("silver table", "changes", "newest change, UTC", "lag")
Table = tuple[str, str, str]


class WatchError(LakehouseError):
    """dbt cannot read the project."""


@dataclass(frozen=True)
class Project:
    """What of dbt's graph a cycle needs.

    Attributes:
        bronze: name of the bronze model by feed, source schema and source table.
        splits: name of the split model by feed, where a feed has multi-table files.
        topics: split table, ``schema.table``, by feed that reads Kafka; its metadata is in the seeds.
        silver: name of the relation, ``schema.table``, by silver model.
    """

    bronze: dict[Table, str] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)
    silver: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: Iterable[Any]) -> Project:
        """Takes the models that have a layer under ``meta.cdc``."""
        project = cls()
        for node in nodes:
            cdc = node.config.meta.get("cdc") or {} if node.resource_type == "model" else {}
            if cdc.get("layer") == "bronze":
                project.bronze[(cdc["feed"], cdc["source_schema"], cdc["source_table"])] = node.name
            elif cdc.get("layer") == "split":
                project.splits[cdc["feed"]] = node.name
                if cdc.get("is_kafka"):
                    project.topics[cdc["feed"]] = f"{node.schema}.{node.alias}"
            elif cdc.get("layer") == "silver":
                project.silver[node.name] = f"{node.schema}.{node.alias}"
        return project

    def models(self, feed: str, schema: str | None, table: str | None) -> str | None:
        """The first model to run for files of a table, or for multi-table files, which have none; None: no metadata."""
        return self.bronze.get((feed, schema, table)) if schema and table else self.splits.get(feed)


class Watch:
    """The loop's state: what has been seen, and what waits.

    Args:
        invoke: runs one dbt command; returns dbt's result object.
        spark: the session that dbt runs in, once it has run.
        folder: the project, whose seeds describe the brokers.
    """

    def __init__(
        self, invoke: Callable[..., Any], spark: Callable[[], SparkSession], folder: Path = PROJECT_ROOT
    ) -> None:
        self._invoke, self._spark, self._folder = invoke, spark, folder
        self._project = Project()
        # The newest batch that was looked at, and the listing's snapshot then.
        self._batch_id = -1
        self._listed: int | None = None
        # Models to run, with the moment from which on they may.
        self._waiting: dict[str, float] = {}
        self._lags: dict[str, tuple[str, ...]] = {}
        self._not_listed: list[str] = []
        self._has_new_runs = False
        self._topics: Topics | None = None

    def cycle(self) -> bool:
        """Lists, builds what has new changes and shows what was done. Where nothing has, it records the runs before.

        Returns:
            Whether there was anything to build.

        Raises:
            WatchError: dbt cannot read the project.
        """
        started = time.monotonic()
        listed = self._invoke("run", "--select", *LISTING)
        failures = _failures(listed)
        if failures:
            # A failure that repeats is reported once.
            if failures != self._not_listed:
                _say_cycle(started, "the landing area could not be listed", failures)
            self._not_listed = failures
            return False
        self._not_listed = []
        self._take_new_changes()
        self._take_new_messages()
        due = sorted(model for model, since in self._waiting.items() if since <= started)
        if not due:
            if self._has_new_runs:
                self._has_new_runs = not self._invoke("run", "--select", *METRICS).success
            return False
        outcome = self._invoke("run", "--select", *(f"{model}+" for model in due), *NO_VIEWS)
        results = {result.node.unique_id: result for result in getattr(outcome.result, "results", None) or ()}
        done = {result.node.name for result in results.values() if result.status == "success"}
        failed = _origins(results) if results else set(due)
        for model in due:
            if model in failed:
                self._waiting[model] = time.monotonic() + SECONDS_TO_RETRY
            else:
                del self._waiting[model]
        self._has_new_runs = True
        lags = self._measured(sorted(done & self._project.silver.keys()))
        reason = ", ".join(due) if len(due) <= 3 else f"{len(due)} tables or feeds"
        _say_cycle(started, reason, _failures(outcome))
        if lags:
            say(text_table(LAG_HEAD, lags, "<>>>"))
        return True

    def lags(self) -> str:
        """How each silver table stood when it was built last."""
        return text_table(LAG_HEAD, [self._lags[name] for name in sorted(self._lags)], "<>>>")

    def _take_new_changes(self) -> None:
        """Has the tables of batches not seen yet wait; at first all of them, since nothing is known of their files."""
        spark = self._spark()
        snapshot_id = snapshots.current_snapshot_id(spark, _named(spark, "etl_metadata.raw_listing"))
        if snapshot_id == self._listed:
            return
        listing = spark.table("etl_metadata.raw_listing").where(f"batch_id > {self._batch_id}")
        # One task needs no exchange, which would take most of the time.
        tables = listing.coalesce(1).groupBy("feed", "source_schema", "source_table").agg({"batch_id": "max"}).collect()
        if self._batch_id < 0:
            self._read_project()
            changed = {*self._project.bronze.values(), *self._project.splits.values()}
        else:
            named = {self._project.models(*row[:3]) for row in tables}
            if None in named:
                # Of a table that the project did not have when it was read.
                self._read_project()
                named = {self._project.models(*row[:3]) for row in tables}
            changed = {model for model in named if model}
        self._waiting |= dict.fromkeys(changed, 0.0)
        self._batch_id = max([self._batch_id, 0, *(int(row[3]) for row in tables)])
        self._listed = snapshot_id

    def _take_new_messages(self) -> None:
        """Has the feeds wait whose topics have messages that their split tables lack."""
        if not self._project.topics:
            return
        if self._topics is None:
            from python_udfs.watch.topics import Topics  # noqa: PLC0415 - only projects that read Kafka pay for it

            self._topics = Topics(self._spark, self._folder)
        for feed, table in self._project.topics.items():
            if self._topics.has_new(feed, _named(self._spark(), table)):
                self._waiting.setdefault(self._project.splits[feed], 0.0)

    def _read_project(self) -> None:
        parsed = self._invoke("parse")
        if not parsed.success:
            raise WatchError(f"dbt cannot read the project: {parsed.exception or 'see the messages above'}")
        self._project = Project.of(parsed.result.nodes.values())
        self._topics = None

    def _measured(self, models: Iterable[str]) -> list[tuple[str, ...]]:
        """Lines of the lag table, from the progress in the newest commit of each table."""
        spark, lines = self._spark(), []
        for table in (self._project.silver[model] for model in models):
            summary = snapshots.newest_summary(spark, _named(spark, table), "cdc.batch-id")
            newest = summary.get("cdc.committed-at", "")[:19]
            lag = datetime.now(timezone.utc) - datetime.fromisoformat(f"{newest}+00:00") if newest else None
            changes = f"{int(summary.get('cdc.changes') or 0):,}"
            self._lags[table] = (table, changes, newest, duration_text(int(lag.total_seconds())) if lag else "")
            lines.append(self._lags[table])
        return lines


def _named(spark: SparkSession, table: str) -> str:
    return f"{spark.conf.get('spark.sql.defaultCatalog')}.{table}"


def _origins(results: Mapping[str, Any]) -> set[str]:
    """Names of the models that were not built, and of those above them: what is below is to be built again."""
    names: set[str] = set()
    todo = [unique_id for unique_id, result in results.items() if result.status != "success"]
    while todo:
        node = results[todo.pop()].node
        if node.name not in names:
            names.add(node.name)
            todo += [unique_id for unique_id in node.depends_on.nodes if unique_id in results]
    return names


def _failures(outcome: Any) -> list[str]:
    """A line per model that failed, or one for the whole command."""
    results = getattr(outcome.result, "results", None) or ()
    lines = [
        f"{result.node.name}: {' '.join(str(result.message or result.status).split())}"
        for result in results
        if result.status in ("error", "fail", "runtime error")
    ]
    return lines or ([] if outcome.success else [" ".join(str(outcome.exception or "dbt failed").split())])


def _say_cycle(started: float, what: str, failures: list[str]) -> None:
    seconds = time.monotonic() - started
    say(f"{datetime.now(timezone.utc):%H:%M:%S}  {seconds:5.1f} s  {what}{': failed' if failures else ''}")
    for line in failures:
        say(f"    {line}")
