"""Shared by the DAGs: settings, the project's commands as operators, and notifications.

Airflow has an environment of its own, so that each command of the project is a process of the project's Python. This
module imports `python_udfs.metadata`, `python_udfs.cli.console` and `python_udfs.pipeline.lag`: they need Python alone.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.providers.http.notifications import HttpNotifier
from airflow.providers.smtp.notifications.smtp import SmtpNotifier
from airflow.providers.standard.hooks.subprocess import SubprocessHook
from airflow.sdk import (
    Asset,
    AssetAlias,
    AsyncCallback,
    BaseOperator,
    DeadlineAlert,
    DeadlineReference,
)
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException

PROJECT = Path(os.environ.get("LAKEHOUSE_PROJECT") or Path(__file__).resolve().parents[2])
sys.path.append(str(PROJECT))

from python_udfs.cli.console import ExitCode  # noqa: E402 - the line above finds it
from python_udfs.metadata import load_metadata  # noqa: E402
from python_udfs.pipeline.lag import is_late  # noqa: E402

# One slot: of two builds of a warehouse at once, the second fails and has to be repeated.
POOL = os.environ.get("LAKEHOUSE_POOL") or "lakehouse"
MAIL = os.environ.get("LAKEHOUSE_ALERT_MAIL") or ""
WEBHOOK = os.environ.get("LAKEHOUSE_ALERT_WEBHOOK") or ""
SILVER = AssetAlias("lakehouse_silver")


def asset(table: str) -> Asset:
    """The asset of a silver table; a DAG that reads the table is scheduled on it."""
    return Asset(name=f"silver.{table}", uri=f"lakehouse://silver/{table}")


def number_of(variable: str, default: int) -> float:
    """A number from the environment.

    Raises:
        ValueError: names the variable, what it is and what is expected.
    """
    text = os.environ.get(variable) or str(default)
    if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", text):
        raise ValueError(f"{variable} is {text!r}; expected a number, 0 or more, such as {default}")
    return float(text)


def retries() -> dict[str, Any]:
    """Of each task that runs a command: how often, and when, a cause that may pass is tried again."""
    return {
        "retries": int(number_of("LAKEHOUSE_RETRIES", 3)),
        "retry_delay": timedelta(seconds=number_of("LAKEHOUSE_RETRY_SECONDS", 60)),
        "retry_exponential_backoff": 2.0,
        "max_retry_delay": timedelta(minutes=30),
    }


def feed_groups() -> dict[str, dict[str, list[str]]]:
    """Tables by feed by group of feeds.

    A group is built by one task, in one Spark session. `LAKEHOUSE_FEED_GROUPS` is `name=feed,feed;name=feed`; without
    it one group has every feed.

    Raises:
        ValueError: a feed that the metadata lacks, or that is in no group or in two; all of them at once.
        MetadataError: every mistake of the metadata.
    """
    metadata = load_metadata(PROJECT / "seeds")
    feeds = {
        feed.feed: [table.target_table for table in metadata.active_tables if table.feed == feed.feed]
        for feed in metadata.feeds
    }
    text = os.environ.get("LAKEHOUSE_FEED_GROUPS", "")
    if not text:
        return {"all": feeds}
    parts = [part.partition("=") for part in filter(None, text.split(";"))]
    groups = {name.strip(): [feed.strip() for feed in named.split(",")] for name, _, named in parts}
    named = [feed for group in groups.values() for feed in group]
    problems = [f"{name!r} is no name for a group" for name in groups if not re.fullmatch(r"\w+", name)]
    problems += [f"{feed!r} is not a feed" for feed in named if feed not in feeds]
    problems += [f"{feed!r} is in no group" for feed in feeds if feed not in named]
    problems += [f"{feed!r} is in two groups" for feed in feeds if named.count(feed) > 1]
    if problems:
        raise ValueError(
            f"LAKEHOUSE_FEED_GROUPS is {text!r}: {'; '.join(problems)}. Expected: name=feed,feed;name=feed"
        )
    return {name: {feed: feeds[feed] for feed in group} for name, group in groups.items()}


# -------------------------------------------------------------------------------------------------------- notifications

_WHAT = "{{ dag.dag_id }}: {{ ti.task_id }}{{ ' ' ~ ti.rendered_map_index if ti.rendered_map_index else '' }} failed"


def notifiers() -> list[Callable[[Any], None]]:
    """Who hears of a task that failed for good: `LAKEHOUSE_ALERT_MAIL`, addresses, and `LAKEHOUSE_ALERT_WEBHOOK`.

    The second is the name of an HTTP connection. Mail goes through the connection `smtp_default`.
    """
    return [*([_tell_by_mail] if MAIL else []), *([_tell_webhook] if WEBHOOK else [])]


# A notifier writes its message into itself, so that each failure gets one of its own.
def _tell_by_mail(context: Any) -> None:
    html = "<pre>{{ exception | e }}</pre><p>{{ run_id }}: <a href='{{ ti.log_url }}'>log</a></p>"
    SmtpNotifier(to=MAIL, subject=_WHAT, html_content=html)(context)


def _tell_webhook(context: Any) -> None:
    message = {
        "text": _WHAT,
        "message": "{{ exception }}",
        "task": "{{ ti.task_id }}",
        "table": "{{ ti.rendered_map_index or '' }}",
        "run": "{{ run_id }}",
        "log": "{{ ti.log_url }}",
    }
    HttpNotifier(http_conn_id=WEBHOOK, json=message)(context)


def deadline() -> list[DeadlineAlert]:
    """Tells the same people of a run that takes `LAKEHOUSE_DEADLINE_MINUTES` (60) longer than the last 20 on average.

    The first run, which loads everything, has no deadline. A deadline from the time of queueing would be simpler, but
    Airflow 3.3 cannot clear a task of a run that has one (apache/airflow issue 70368).
    """
    minutes = number_of("LAKEHOUSE_DEADLINE_MINUTES", 60)
    late = f"{minutes:g} minutes later than runs before it"
    text = f"{{{{ dag_run.dag_id }}}}: run {{{{ dag_run.dag_run_id }}}} has not ended, {late}"
    callbacks = []
    if MAIL:
        callbacks.append(AsyncCallback(SmtpNotifier, kwargs={"to": MAIL, "subject": text, "html_content": text}))
    if WEBHOOK:
        callbacks.append(AsyncCallback(HttpNotifier, kwargs={"http_conn_id": WEBHOOK, "json": {"text": text}}))
    reference = DeadlineReference.AVERAGE_RUNTIME(max_runs=20, min_runs=1)
    return [
        DeadlineAlert(reference=reference, interval=timedelta(minutes=minutes), callback=callback)
        for callback in callbacks
    ]


def default_arguments() -> dict[str, Any]:
    """Of every task: who hears of it when it has failed for good."""
    return {"on_failure_callback": notifiers()}


# ------------------------------------------------------------------------------------------------------------ operators


class ProjectCommand(BaseOperator):
    """A command in the project's folder and environment. A stopped task stops it, with its Java.

    Args:
        command: the words; a first word `python` or `dbt` is that of the project.
    """

    def __init__(self, *, command: list[str] | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.command = command or []
        self._process: SubprocessHook | None = None

    def execute(self, context: Any) -> Any:
        """Runs the command; a failure is final, unless it was killed."""
        code = self.run(self.command)
        if code:
            raise AirflowFailException(
                f"{' '.join(self.command)} ended with exit code {code}; its words are in the log"
            )

    def run(self, command: list[str]) -> int:
        """Runs a command to its end, its output in the task's log.

        Returns:
            Its exit code.

        Raises:
            AirflowException: a signal ended it: the machine was short of memory, or went away.
        """
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        venv = Path(os.environ.get("LAKEHOUSE_VENV") or PROJECT / ".venv")
        # The task may be killed: dbt and its Java would wait for readers of their output, with the warehouse's lock.
        environment["DBT_END_WITH_PARENT"] = str(os.getpid())
        environment |= {"VIRTUAL_ENV": str(venv), "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
        self._process = SubprocessHook()
        done = self._process.run_command(["/usr/bin/env", *command], env=environment, cwd=str(PROJECT))
        if done.exit_code < 0 or done.exit_code > 128:
            raise AirflowException(
                f"{' '.join(command)} was killed (exit code {done.exit_code}). A killed run is simply repeated."
            )
        return done.exit_code

    def on_kill(self) -> None:
        """Ends the command's process group: Python and the Java below it."""
        if self._process:
            self._process.send_sigterm()

    def build(self, context: Any, *which: str) -> dict[str, Any]:
        """Runs `python -m python_udfs.run`.

        Args:
            context: of the task.
            which: `--feeds` or `--tables` with their names.

        Returns:
            Returns the outcome of each table: `tables` and `others` of `python_udfs.run.outcome.Outcome`.

        Raises:
            AirflowException: a cause that may pass, and attempts are left.
            AirflowFailException: the command did not get as far as its result.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "result.json")
            code = self.run(
                ["python", "-m", "python_udfs.run", *which, "--project-dir", str(PROJECT), "--result", str(path)]
            )
            outcome = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        task = context["ti"]
        if code == ExitCode.TEMPORARY and (outcome is None or task.try_number <= task.max_tries):
            causes = _failures(outcome) if outcome else ["its words are in the log"]
            raise AirflowException("A cause that may pass: " + "\n".join(causes))
        if outcome is None:
            raise AirflowFailException(f"dbt did not build (exit code {code}); its words are in the log")
        return outcome


class Build(ProjectCommand):
    """Builds a group of feeds in one Spark session. A table that fails does not fail this task.

    Args:
        feeds: their names; empty: everything.
    """

    def __init__(self, *, feeds: list[str], **settings: Any) -> None:
        super().__init__(**settings)
        self.feeds = feeds

    def execute(self, context: Any) -> dict[str, Any]:
        """Returns what became of each table, and which attempt this was."""
        outcome = self.build(context, *(["--feeds", ",".join(self.feeds)] if self.feeds else []))
        # Tables report each build once: see Table.
        return {**outcome, "build": f"{context['run_id']} {context['ti'].try_number} {context['ti'].start_date}"}


class Table(ProjectCommand):
    """Reports one table of a build, without Spark: red with the table's own message. Cleared, it builds that table.

    Args:
        table: its name in silver.
        built_by: the task that built it.
    """

    def __init__(self, *, table: str, built_by: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.table, self.built_by = table, built_by

    def execute(self, context: Any) -> dict[str, Any]:
        """Returns the table's facts, and announces its asset if its snapshot is another than the one announced last."""
        outcome = context["ti"].xcom_pull(task_ids=self.built_by)
        reported = context["task_state_store"]
        if reported.get("build") == outcome["build"]:
            self.log.info("This build is reported already: %s is built again, alone", self.table)
            outcome = self.build(context, "--tables", self.table)
        else:
            reported.set("build", outcome["build"])
        result = outcome["tables"].get(self.table)
        if result is None:
            raise AirflowFailException(f"dbt has no models of {self.table}: run `make models`")
        for warning in result["warnings"]:
            self.log.warning("%s", warning)
        if result["state"] == "skipped":
            raise AirflowSkipException(result["message"])
        if result["state"] == "failed":
            raise AirflowFailException(result["message"])
        self._announce(context, result["facts"])
        return result["facts"]

    def _announce(self, context: Any, facts: dict[str, Any]) -> None:
        its_asset = asset(self.table)
        events = context["inlet_events"][its_asset]
        snapshot = facts.get("snapshot_id")
        if snapshot is None or (len(events) and events[-1].extra.get("snapshot_id") == snapshot):
            self.log.info("Nothing new in %s (snapshot %s)", its_asset.name, snapshot)
            return
        context["outlet_events"][SILVER].add(its_asset, extra=facts)


def _failures(outcome: dict[str, Any]) -> list[str]:
    return [*(table["message"] for table in outcome["tables"].values() if table["message"]), *outcome["others"]]


def check_lag(outcome: dict[str, Any]) -> None:
    """Fails over `lag_limit_minutes` of the metadata, with a line per table."""
    late = []
    for name, table in sorted(outcome["tables"].items()):
        lag, limit = table["facts"].get("lag_seconds"), table["lag_limit_minutes"]
        if is_late(lag, None if limit is None else 60 * limit):
            late.append(f"{name}: its newest change is {lag // 60:,} minutes old, limit {limit:,}")
    if late:
        raise AirflowFailException("\n".join(late))


def check_others(outcome: dict[str, Any]) -> None:
    """Fails with what failed in a build and belongs to no single table: the listing, checks of all files, gold."""
    if outcome["others"]:
        raise AirflowFailException("\n".join(outcome["others"]))
