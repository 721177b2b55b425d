"""dbt run in this process, so that all commands share one Spark session."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from python_udfs.cli.console import say
from python_udfs.errors import LakehouseError
from python_udfs.paths import PROJECT_ROOT, target_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Files that a command of dbt depends on; the folders are in the project.
PROJECT_FOLDERS = ("macros", "models", "profiles", "seeds")


def newest_change(project: Path) -> float:
    """When the newest of a project's files was changed, in seconds since 1970."""
    newest = (project / "dbt_project.yml").stat().st_mtime
    # Not pathlib: each cycle of a watch looks at all files, and it asks the disk twice for each.
    for folder in PROJECT_FOLDERS:
        for path, _, names in os.walk(project / folder):
            for name in names:
                with suppress(FileNotFoundError):  # `make models` may remove it meanwhile
                    newest = max(newest, Path(path, name).stat().st_mtime)
    return newest


class DbtError(LakehouseError):
    """A command of dbt failed."""


class Dbt:
    """Runs commands of dbt on a project. dbt itself prints nothing; its log file has everything.

    Args:
        project: folder of dbt_project.yml.
        options: words that follow each command, for example ``--target local``.
        show: gets every event of dbt, see `show_event`.

    Raises:
        DbtError: dbt's log or what it compiles cannot be written.
    """

    def __init__(self, project: Path = PROJECT_ROOT, *options: str, show: Callable[[Any], None] | None = None) -> None:
        # Their import takes a while, and not every command needs them.
        from dbt.cli.main import dbtRunner  # noqa: PLC0415

        from dbt.adapters.sparksession import folders  # noqa: PLC0415

        self._project, self._runner = project, dbtRunner
        self._callbacks = [show] if show else []
        where = ["--project-dir", str(project), "--profiles-dir", str(project / "profiles")]
        # dbt alone ends without a word if it cannot write its log.
        logs = project / (os.environ.get("DBT_LOG_PATH") or "logs")
        refused = folders.refusal({"DBT_LOG_PATH": logs, "DBT_TARGET_PATH": target_folder(project)})
        if refused:
            raise DbtError(refused)
        self._options = [*where, "--log-level", "none", "--log-level-file", "info", "--no-use-colors", *options]

    def __call__(self, *arguments: str) -> Any:
        """Runs one command, for example ``run --select raw_listing``.

        Returns:
            dbt's outcome: ``success``, ``result`` and ``exception``.
        """
        return self._invoke(None, *arguments)

    def result(self, *arguments: str) -> Any:
        """Runs one command that has to succeed.

        Returns:
            dbt's result object of the command.

        Raises:
            DbtError: it failed.
        """
        outcome = self(*arguments)
        if outcome.success:
            return outcome.result
        if isinstance(outcome.exception, KeyboardInterrupt):
            raise outcome.exception
        where = "above" if self._callbacks else "in logs/dbt.log"
        reason = f": {outcome.exception}" if outcome.exception else f"; dbt's messages are {where}"
        raise DbtError(f"{' '.join(['dbt', *arguments])} failed{reason}")

    def _invoke(self, manifest: Any, *arguments: str) -> Any:
        return self._runner(manifest=manifest, callbacks=self._callbacks).invoke([*arguments, *self._options])


class WarmDbt(Dbt):
    """As `Dbt`, for many commands: it reads the project, which takes a second, only when one of its files has changed.

    For commands that run no tests: it leaves them out.

    Args:
        project: folder of dbt_project.yml.
        show: gets every event of dbt, see `show_event`.
    """

    def __init__(self, project: Path, show: Callable[[Any], None] | None = None) -> None:
        # Other commands need a run's results as a file, and the relations of schemas that it does not touch.
        super().__init__(project, "--no-write-json", "--cache-selected-only", show=show)
        self._parsed: Any = None
        self._parsed_from = 0.0

    def __call__(self, *arguments: str) -> Any:
        """Runs one command; ``parse`` reads the project in any case."""
        newest = newest_change(self._project)
        if self._parsed is None or newest > self._parsed_from or arguments == ("parse",):
            self._parsed, self._parsed_from = self._invoke(None, "parse"), newest
            if self._parsed.success:
                # Each command links all nodes, and most are tests, which its commands do not run.
                nodes = self._parsed.result.nodes
                for test in [name for name, node in nodes.items() if node.resource_type == "test"]:
                    del nodes[test]
        if not self._parsed.success or arguments == ("parse",):
            return self._parsed
        return self._invoke(self._parsed.result, *arguments)


def show_event(event: Any) -> None:
    """Shows a line per model built, errors, and what the project's macros and the adapter report to people."""
    name, level = event.info.name, event.info.level
    if name == "LogModelResult" and level == "info":
        say(f"    {event.data.description.removeprefix('sql ')}: {event.data.execution_time:.1f} s")
    elif name in {"MainEncounteredError", "MainStackTrace"}:
        pass  # an exception is in dbt's outcome
    elif level == "error" or name in {"JinjaLogInfo", "AdapterEventInfo", "AdapterEventWarning"}:
        say(f"    {event.info.msg}")


def spark_session() -> SparkSession:
    """The Spark session of this process: that of dbt, once one of its commands has run.

    Raises:
        PySparkRuntimeError: dbt has not started Spark. A session that is made here would lack dbt's settings.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 - a command that only writes files needs no Spark

    return SparkSession.active()
