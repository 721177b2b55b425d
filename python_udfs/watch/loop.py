"""The loop of the continuous mode.

A cycle lists the landing area through dbt and asks brokers for their last offsets. Then it runs dbt for the splits of
multi-table files and messages, and for the tables with new changes alone: those of new files, and those that the splits
have added rows of. Tests, and the views that read every table, are left to ``dbt build``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.sparksession import snapshots
from python_udfs.cli.console import say, text_table
from python_udfs.cli.dbt import newest_change
from python_udfs.errors import LakehouseError
from python_udfs.pipeline.results import BUILT, FAILED
from python_udfs.pipeline.table import read_models
from python_udfs.pipeline.table_config import Source
from python_udfs.times import duration_text
from python_udfs.watch.stop import Stop

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from python_udfs.watch.topics import Topics

# A table that failed is tried again when it has new changes, or after so many seconds.
SECONDS_TO_RETRY = 60.0
# A question to a broker costs less than a listing.
SECONDS_TO_ASK = 0.2
LISTING = ("raw_listing", "rejected_files")
# Views are current without being made again, and making them reads every table's metadata. So does run_metrics.
METRICS = ("run_metrics", "incidents")
NO_VIEWS = ("--exclude", "path:models/etl_metadata,config.materialized:view", *METRICS)
LAG_HEAD = ("silver table", "changes", "newest change, UTC", "lag")


class WatchError(LakehouseError):
    """dbt cannot read the project."""


@dataclass(frozen=True)
class Split:
    """The split of a feed: messages, or files that hold rows of several tables.

    Attributes:
        model: its name.
        table: name of its relation, ``schema.table``.
        is_kafka: whether it reads topics; the metadata of the feed is in the seeds.
    """

    model: str
    table: str
    is_kafka: bool


@dataclass(frozen=True)
class Project:
    """The part of dbt's graph that a cycle needs.

    Attributes:
        bronze: name of the bronze model by feed, source schema and source table.
        splits: the split by feed, if a feed has one.
        readers: models other than bronze that read a split, by its name: any of its rows may be for them.
        silver: name of the relation, ``schema.table``, by silver model.
    """

    bronze: dict[Source, str] = field(default_factory=dict)
    splits: dict[str, Split] = field(default_factory=dict)
    readers: dict[str, set[str]] = field(default_factory=dict)
    silver: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: Mapping[str, Any]) -> Project:
        """Takes the models that have a layer under ``meta.cdc``, and those that read a split.

        Args:
            nodes: dbt's nodes by their ids.
        """
        project = cls()
        models = read_models(nodes.values())
        splits = {model.unique_id: model for model in models.of_layer("split")}
        for model in splits.values():
            project.splits[model.cdc.feed] = Split(model.name, model.relation, model.cdc.is_kafka)
        bronze = {model.unique_id: model for model in models.of_layer("bronze")}
        project.bronze.update({model.source: model.name for model in bronze.values()})
        project.silver.update({model.name: model.relation for model in models.of_layer("silver")})
        for unique_id, node in nodes.items():
            if node.resource_type == "model" and unique_id not in bronze and node.config.materialized != "view":
                for split in (splits[above] for above in node.depends_on.nodes if above in splits):
                    project.readers.setdefault(split.name, set()).add(node.name)
        return project

    @property
    def models(self) -> set[str]:
        """The models that new files or messages may be for."""
        splits = {split.model for split in self.splits.values()}
        return splits.union(self.bronze.values(), *self.readers.values())

    @property
    def has_topics_alone(self) -> bool:
        """Whether all tables come from Kafka: there is nothing to list."""
        feeds = {feed for feed, _, _ in self.bronze}
        return bool(feeds) and all(feed in self.splits and self.splits[feed].is_kafka for feed in feeds)

    def list_models_of_files(self, feed: str, schema: Any, table: Any) -> set[str]:
        """The models to run for files of a table, or for multi-table files, which have none.

        A load of one table waits in bronze until the split of its feed has come as far.
        """
        split = {self.splits[feed].model} if feed in self.splits else set()
        bronze = self._bronze_of(feed, schema, table)
        return bronze | split if bronze or not table else set()

    def list_models_of_rows(self, feed: str, schema: Any, table: Any) -> set[str]:
        """The models to run for rows of a table, or of none, in the split of a feed."""
        return self._bronze_of(feed, schema, table) | self.readers.get(self.splits[feed].model, set())

    def list_models_of_split(self, feed: str) -> set[str]:
        """The models that read the split of a feed."""
        bronze = {name for (of, _, _), name in self.bronze.items() if of == feed}
        return bronze | self.readers.get(self.splits[feed].model, set())

    def _bronze_of(self, *table: Any) -> set[str]:
        return {self.bronze[table]} if table in self.bronze else set()


class Watch:
    """The loop's state: what has been seen, and what waits.

    Args:
        invoke: runs one dbt command; returns dbt's result object.
        spark: the session that dbt runs in, once it has run.
        folder: the project, whose seeds describe the brokers.
    """

    def __init__(self, invoke: Callable[..., Any], spark: Callable[[], SparkSession], folder: Path) -> None:
        self._invoke, self._spark, self._folder = invoke, spark, folder
        self._project = Project()
        # When the newest of the project's files had changed as it was read.
        self._read_from = 0.0
        # The newest batch that was looked at, and the listing's snapshot then.
        self._batch_id = -1
        self._listed: int | None = None
        # The snapshot of each split whose rows were looked at, by feed.
        self._split_at: dict[str, int] = {}
        # Models to run, with the moment from which on they may.
        self._waiting: dict[str, float] = {}
        self._lags: dict[str, tuple[str, ...]] = {}
        self._not_listed: list[str] = []
        # Silver models whose runs are not recorded yet; None: of any, as those before this process.
        self._unrecorded: set[str] | None = None
        self._topics: Topics | None = None

    def cycle(self, *, lists: bool = True) -> bool:
        """Looks for new changes, builds what has some and shows what was done.

        Args:
            lists: whether the landing area is listed, and what earlier cycles did is recorded if there is nothing to
                build. If not, only brokers are asked, and of these only the ones that answered before.

        Returns:
            Whether there was anything to build.

        Raises:
            WatchError: dbt cannot read the project.
        """
        started = time.monotonic()
        if lists and not self._list(started):
            return False
        if self._read_from == 0.0:  # dbt has not started Spark yet, as where another command holds the lock
            return False
        self._take_new_messages(asks_all=lists)
        done: set[str] = set()
        failures: list[str] = []
        splits = self._due({split.model for split in self._project.splits.values()})
        self._build(splits, splits, done, failures)
        self._take_new_rows()
        due = self._due(self._waiting.keys() - self._behind_splits())
        self._build(due, [f"{model}+" for model in due], done, failures)
        if not splits and not due:
            if lists:
                self._record_runs()
            return False
        lags = self._measured(sorted(done & self._project.silver.keys()))
        shown = due or splits
        _say_cycle(started, ", ".join(shown) if len(shown) <= 3 else f"{len(shown)} tables", failures)
        if lags:
            say(text_table(LAG_HEAD, lags, "<>>>"))
        return True

    def lags(self) -> str:
        """How each silver table stood when it was built last."""
        return text_table(LAG_HEAD, [self._lags[name] for name in sorted(self._lags)], "<>>>")

    def _list(self, started: float) -> bool:
        """Lists the landing area, if files may come; whether any feed was. A failure that repeats is reported once."""
        if self._project.has_topics_alone:
            self._read_changed_project()
            return True
        outcome = self._invoke("run", "--select", *LISTING)
        failures = _failures(outcome)
        if failures and failures != self._not_listed:
            _say_cycle(started, "the landing area could not be listed", failures)
        self._not_listed = failures
        # If only some feeds could not be listed, what follows the listing is not skipped.
        is_listed = not failures or LISTING[1] in _built(outcome)
        if is_listed:
            self._read_changed_project()
            self._take_new_changes()
        return is_listed

    def _record_runs(self) -> None:
        """Has run_metrics written. It reads the metadata of each table that it is asked for: 12 s of 1,000 tables."""
        if self._unrecorded == set():
            return
        of = json.dumps({"cdc_metrics_of": sorted(self._unrecorded or ())})
        if self._invoke("run", "--select", *METRICS, "--vars", of).success:
            self._unrecorded = set()

    def _due(self, models: Iterable[str]) -> list[str]:
        now = time.monotonic()
        return sorted(model for model in models if self._waiting.get(model, now + 1) <= now)

    def _behind_splits(self) -> set[str]:
        """The splits that wait, and the models that read them."""
        waiting = {feed: split.model for feed, split in self._project.splits.items() if split.model in self._waiting}
        return set(waiting.values()).union(*map(self._project.list_models_of_split, waiting))

    def _build(self, models: list[str], selected: list[str], done: set[str], failures: list[str]) -> None:
        """Runs dbt for models that wait; adds what was built and what failed to the last two."""
        if not models:
            return
        outcome = self._invoke("run", "--select", *selected, *NO_VIEWS)
        results = {result.node.unique_id: result for result in getattr(outcome.result, "results", None) or ()}
        done |= _built(outcome)
        if self._unrecorded is not None:
            # One that failed may have committed before.
            self._unrecorded |= {result.node.name for result in results.values()} & self._project.silver.keys()
        failures += _failures(outcome)
        failed = _list_unbuilt(results) if results else set(models)
        for model in models:
            if model in failed:
                self._waiting[model] = time.monotonic() + SECONDS_TO_RETRY
            else:
                del self._waiting[model]

    def _take_new_changes(self) -> None:
        """Queues the tables of new batches. In the first cycle every table is queued."""
        spark = self._spark()
        snapshot_id = snapshots.current_snapshot_id(spark, _named(spark, "etl_metadata.raw_listing"))
        if snapshot_id == self._listed:
            return
        listing = spark.table("etl_metadata.raw_listing").where(f"batch_id > {self._batch_id}")
        # One task needs no exchange, which would take most of the time.
        tables = listing.coalesce(1).groupBy("feed", "source_schema", "source_table").agg({"batch_id": "max"}).collect()
        if self._batch_id >= 0:
            changed = set().union(*(self._project.list_models_of_files(*row[:3]) for row in tables))
            self._waiting |= dict.fromkeys(changed, 0.0)
        self._batch_id = max([self._batch_id, 0, *(int(row[3]) for row in tables)])
        self._listed = snapshot_id

    def _take_new_messages(self, *, asks_all: bool) -> None:
        """Has the splits wait whose topics have messages that they lack."""
        of_kafka = {feed: split for feed, split in self._project.splits.items() if split.is_kafka}
        if not of_kafka:
            return
        if self._topics is None:
            from python_udfs.watch.topics import Topics  # noqa: PLC0415 - only projects that read Kafka pay for it

            self._topics = Topics(self._spark, self._folder)
        for feed, split in of_kafka.items():
            is_asked = asks_all or feed not in self._topics.without_answer
            if is_asked and self._topics.has_new(feed, _named(self._spark(), split.table)):
                self._waiting.setdefault(split.model, 0.0)

    def _take_new_rows(self) -> None:
        """Has the tables wait that the splits have added rows of, also those of another run."""
        spark = self._spark()
        for feed, split in self._project.splits.items():
            table, since = _named(spark, split.table), self._split_at.get(feed)
            if since is None and not spark.catalog.tableExists(table):
                continue
            now = snapshots.current_snapshot_id(spark, table)
            if now == since:
                continue
            added = snapshots.added_partitions(spark, table, since) if since else None
            models = self._project.list_models_of_split(feed)
            if added is not None:
                models = set().union(*(self._project.list_models_of_rows(feed, *names) for names in added))
            # Messages come all the time: one that has failed waits for its turn, or it would hold up each cycle.
            for model in models:
                self._waiting.setdefault(model, 0.0)
            self._split_at[feed] = now

    def _read_changed_project(self) -> None:
        """Reads the project if it has changed since it was read, also at first; its models that are new wait."""
        newest = newest_change(self._folder)
        if newest <= self._read_from:
            return
        parsed = self._invoke("parse")
        if not parsed.success:
            raise WatchError(f"dbt cannot read the project: {parsed.exception or 'see the messages above'}")
        before, self._project = self._project, Project.of(parsed.result.nodes)
        self._waiting |= dict.fromkeys(self._project.models - before.models, 0.0)
        self._waiting = {model: since for model, since in self._waiting.items() if model in self._project.models}
        self._read_from, self._topics = newest, None

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


def follow(watch: Watch, every: float, stop: Stop) -> None:
    """Runs cycles until it is stopped.

    Args:
        watch: what has been seen so far.
        every: seconds from one listing to the next; brokers are asked more often.
        stop: set by somebody else; the running cycle ends first.

    Raises:
        WatchError: dbt cannot read the project.
    """
    listed = -every
    while not stop.is_set():
        started = time.monotonic()
        lists = started - listed >= every
        listed = started if lists else listed
        watch.cycle(lists=lists)
        stop.wait(max(0.0, min(listed + every, started + SECONDS_TO_ASK) - time.monotonic()))


def _named(spark: SparkSession, table: str) -> str:
    return f"{spark.conf.get('spark.sql.defaultCatalog')}.{table}"


def _list_unbuilt(results: Mapping[str, Any]) -> set[str]:
    """Names of the models that were not built, and of those above them: what is below is to be built again."""
    names: set[str] = set()
    todo = [unique_id for unique_id, result in results.items() if result.status != BUILT]
    while todo:
        node = results[todo.pop()].node
        if node.name not in names:
            names.add(node.name)
            todo += [unique_id for unique_id in node.depends_on.nodes if unique_id in results]
    return names


def _built(outcome: Any) -> set[str]:
    """Names of the models that a command has built."""
    results = getattr(outcome.result, "results", None) or ()
    return {result.node.name for result in results if result.status == BUILT}


def _failures(outcome: Any) -> list[str]:
    """A line per model that failed, or one for the whole command."""
    results = getattr(outcome.result, "results", None) or ()
    lines = [
        f"{result.node.name}: {' '.join(str(result.message or result.status).split())}"
        for result in results
        if result.status in FAILED
    ]
    return lines or ([] if outcome.success else [" ".join(str(outcome.exception or "dbt failed").split())])


def _say_cycle(started: float, action: str, failures: list[str]) -> None:
    seconds = time.monotonic() - started
    say(f"{datetime.now(timezone.utc):%H:%M:%S}  {seconds:5.1f} s  {action}{': failed' if failures else ''}")
    for line in failures:
        say(f"    {line}")
