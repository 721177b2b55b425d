"""Continuous mode: one warm process that builds the tables whose files have come, and what depends on them.

``python -m python_udfs.watch`` is ``make watch``. A cycle lists the landing area through dbt, then runs dbt for the
tables with news alone. Tests, and the views that read every table, are left to ``dbt build``.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from python_udfs.errors import LakehouseError
from python_udfs.raw_listing import PROJECT_ROOT, landing_root
from python_udfs.text import duration_text, say, text_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A table that failed is tried again when it has news, or after so many seconds.
SECONDS_TO_RETRY = 60.0
LISTING = ("raw_listing", "rejected_files")
# Views show what is there without being made again, and making them reads every table's metadata.
NO_VIEWS = ("--exclude", "path:models/etl_metadata,config.materialized:view")
PROJECT_FOLDERS = ("macros", "models", "profiles", "seeds")
LAG_HEAD = ("silver table", "changes", "newest change, UTC", "lag")
Table = tuple[str, str, str]


class WatchError(LakehouseError):
    """dbt cannot read the project."""


@dataclass(frozen=True)
class Project:
    """What of dbt's graph a cycle needs.

    Attributes:
        bronze: name of the bronze model by feed, source schema and source table.
        splits: name of the split model by feed, where a feed has mixed objects.
        silver: name of the relation, ``schema.table``, by silver model.
    """

    bronze: dict[Table, str] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    silver: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: Iterable[Any]) -> Project:
        """Takes the models that say under ``meta.cdc`` which layer they are."""
        project = cls()
        for node in nodes:
            cdc = node.config.meta.get("cdc") or {} if node.resource_type == "model" else {}
            if cdc.get("layer") == "bronze":
                project.bronze[(cdc["feed"], cdc["source_schema"], cdc["source_table"])] = node.name
            elif cdc.get("layer") == "split":
                project.splits[cdc["feed"]] = node.name
            elif cdc.get("layer") == "silver":
                project.silver[node.name] = f"{node.schema}.{node.alias}"
        return project

    def models(self, feed: str, schema: str | None, table: str | None) -> str | None:
        """The first model to run for objects of a table, or for mixed objects, which have none; None: nobody's."""
        return self.bronze.get((feed, schema, table)) if schema and table else self.splits.get(feed)


class Watch:
    """The loop's state: what has been seen, and what waits.

    Args:
        invoke: runs one dbt command; returns dbt's result object.
        spark: the session that dbt runs in, once it has run.
    """

    def __init__(self, invoke: Callable[..., Any], spark: Callable[[], SparkSession]) -> None:
        self._invoke, self._spark = invoke, spark
        self._project = Project()
        # The newest batch that was looked at, and the listing's snapshot then.
        self._batch_id = -1
        self._listed: int | None = None
        # Models to run, with the moment from which on they may.
        self._waiting: dict[str, float] = {}
        self._lags: dict[str, tuple[str, ...]] = {}
        self._not_listed: list[str] = []

    def cycle(self) -> bool:
        """Lists, builds what has news and shows what was done.

        Returns:
            Whether there was anything to build.

        Raises:
            WatchError: dbt cannot read the project.
        """
        started = time.monotonic()
        listed = self._invoke("run", "--select", *LISTING)
        failures = _failures(listed)
        if failures:
            # What goes on failing is said once.
            if failures != self._not_listed:
                _say_cycle(started, "the landing area could not be listed", failures)
            self._not_listed = failures
            return False
        self._not_listed = []
        self._take_news()
        due = sorted(model for model, since in self._waiting.items() if since <= started)
        if not due:
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
        lags = self._measured(sorted(done & self._project.silver.keys()))
        says = ", ".join(due) if len(due) <= 3 else f"{len(due)} tables or feeds"
        _say_cycle(started, says, _failures(outcome))
        if lags:
            say(text_table(LAG_HEAD, lags))
        return True

    def lags(self) -> str:
        """How each silver table stood when it was built last."""
        return text_table(LAG_HEAD, [self._lags[name] for name in sorted(self._lags)])

    def _take_news(self) -> None:
        """Has the tables of batches not seen yet wait; at first all of them, since nobody says what they have."""
        spark = self._spark()
        snapshot_id = _snapshots().current_snapshot_id(spark, _named(spark, "etl_metadata.raw_listing"))
        if snapshot_id == self._listed:
            return
        listing = spark.table("etl_metadata.raw_listing").where(f"batch_id > {self._batch_id}")
        # One task needs no exchange, which would take most of the time.
        objects = (
            listing.coalesce(1).groupBy("feed", "source_schema", "source_table").agg({"batch_id": "max"}).collect()
        )
        if self._batch_id < 0:
            self._read_project()
            news = {*self._project.bronze.values(), *self._project.splits.values()}
        else:
            named = {self._project.models(*row[:3]) for row in objects}
            if None in named:
                # Of a table that the project did not have when it was read.
                self._read_project()
                named = {self._project.models(*row[:3]) for row in objects}
            news = {model for model in named if model}
        self._waiting |= dict.fromkeys(news, 0.0)
        self._batch_id = max([self._batch_id, 0, *(int(row[3]) for row in objects)])
        self._listed = snapshot_id

    def _read_project(self) -> None:
        parsed = self._invoke("parse")
        if not parsed.success:
            raise WatchError(f"dbt cannot read the project: {parsed.exception or 'see the messages above'}")
        self._project = Project.of(parsed.result.nodes.values())

    def _measured(self, models: Iterable[str]) -> list[tuple[str, ...]]:
        """Lines of the lag table, from what the newest commit of each table says of itself."""
        spark, lines = self._spark(), []
        for table in (self._project.silver[model] for model in models):
            summary = _snapshots().newest_summary(spark, _named(spark, table), "cdc.batch-id")
            newest = summary.get("cdc.committed-at", "")[:19]
            lag = datetime.now(timezone.utc) - datetime.fromisoformat(f"{newest}+00:00") if newest else None
            changes = f"{int(summary.get('cdc.changes') or 0):,}"
            self._lags[table] = (table, changes, newest, duration_text(int(lag.total_seconds())) if lag else "")
            lines.append(self._lags[table])
        return lines


def _snapshots() -> ModuleType:
    from dbt.adapters.sparksession import snapshots  # noqa: PLC0415 - the command line needs no Spark

    return snapshots


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


class Dbt:
    """Runs dbt commands on a project in this process; the log file keeps what dbt says.

    Args:
        project: folder of dbt_project.yml.
        callback: gets every event of dbt; None: nobody does.
    """

    def __init__(self, project: Path, callback: Callable[[Any], None] | None = None) -> None:
        from dbt.cli.main import dbtRunner  # noqa: PLC0415 - a wrong argument is told before dbt is loaded

        self._project, self._runner = project, partial(dbtRunner, callbacks=[callback] if callback else None)
        self._parsed: Any = None
        self._parsed_from = 0.0

    def __call__(self, *arguments: str) -> Any:
        """Runs one command. The project is read again only when one of its files has changed: that takes a second."""
        files = (path for folder in PROJECT_FOLDERS for path in (self._project / folder).rglob("*") if path.is_file())
        newest = max(path.stat().st_mtime for path in (self._project / "dbt_project.yml", *files))
        if self._parsed is None or newest > self._parsed_from or arguments == ("parse",):
            self._parsed, self._parsed_from = self._invoke(None, "parse"), newest
        if not self._parsed.success or arguments == ("parse",):
            return self._parsed
        return self._invoke(self._parsed.result, *arguments)

    def _invoke(self, manifest: Any, *arguments: str) -> Any:
        where = ["--project-dir", str(self._project), "--profiles-dir", str(self._project / "profiles")]
        quiet = ["--log-level", "none", "--log-level-file", "info", "--no-use-colors"]
        # What other commands want of a run: its results as a file, and what is in the schemas that it does not touch.
        quiet += ["--no-write-json", "--cache-selected-only"]
        return self._runner(manifest=manifest).invoke([*arguments, *where, *quiet])


def _spark() -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - dbt has started it

    return SparkSession.builder.getOrCreate()


def main(arguments: list[str] | None = None) -> int:
    """Runs until it is told to stop.

    Args:
        arguments: the command line without the program's name; None: that of the process.

    Returns:
        The exit code: 0 when stopped by SIGINT or SIGTERM, 1 after an error that was told in words.
    """
    parser = argparse.ArgumentParser(prog="python -m python_udfs.watch", description=__doc__)
    parser.add_argument("--every", type=float, default=5.0, help="seconds from one listing to the next (default 5)")
    parser.add_argument("--project-dir", type=Path, default=PROJECT_ROOT, help="folder of dbt_project.yml")
    options = parser.parse_args(arguments)
    stop = threading.Event()

    def stop_after_the_cycle(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop_after_the_cycle)
    say(f"Watching {landing_root()} every {options.every:g} s. Ctrl-C stops after the running cycle, twice at once.")
    watch = Watch(Dbt(options.project_dir.resolve()), _spark)
    try:
        while not stop.is_set():
            started = time.monotonic()
            watch.cycle()
            stop.wait(max(0.0, options.every - (time.monotonic() - started)))
    except LakehouseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    say(f"Stopped.\n{watch.lags()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
