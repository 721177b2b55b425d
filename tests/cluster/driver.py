"""The driver of a cluster's tests, a process of its own: dbt in it, as `dbt` starts it, for many commands.

Reads a request a line from standard input and writes an answer a line to standard output, both JSON. All else that is
printed goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from dbt.cli.main import dbtRunner
from pyspark import SparkContext
from pyspark.sql import SparkSession

from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.sample_data import demo, scenarios
from python_udfs.watch.loop import Watch
from tests.e2e.rival import on_each_step

PROJECT = Path.cwd()


def run_dbt(*arguments: str) -> dict[str, Any]:
    """A command of dbt: status by name of its nodes, and what it said."""
    messages: list[str] = []
    runner = dbtRunner(callbacks=[lambda event: messages.append(event.info.msg)])
    where = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT / "profiles")]
    outcome = runner.invoke([*arguments, *where])
    results = getattr(outcome.result, "results", None) or ()
    nodes = {result.node.name: str(result.status) for result in results if hasattr(result, "node")}
    return {"success": outcome.success, "statuses": nodes, "messages": messages, "error": str(outcome.exception or "")}


def sql(query: str) -> list[list[Any]]:
    """The rows of a query."""
    return [list(row) for row in (SparkSession.getActiveSession() or spark_session()).sql(query).collect()]


def differences() -> list[str]:
    """Silver against the source of the demonstration, row by row, as `make demo` compares it."""
    return demo._differences(spark_session(), tuple(scenarios.COMES_AS))


def snapshots() -> dict[str, int]:
    """The number of snapshots of each bronze and silver table."""
    return demo.snapshots(spark_session())


def watch() -> bool:
    """One cycle of `make watch`: whether there was anything to build."""
    return Watch(WarmDbt(PROJECT), spark_session, PROJECT).cycle()


def pauses(seed: int) -> None:
    """From now on, waits up to a second before every fourth step of a write or so."""
    random = Random(seed)
    on_each_step(setattr, lambda _step, _table: time.sleep(max(0.0, random.uniform(-3, 1))))


def executors() -> int:
    """How many executors are there; the driver is none."""
    return int(spark_session().sparkContext._jsc.sc().getExecutorMemoryStatus().size()) - 1


def on_executors() -> list[list[Any]]:
    """Who the executors are, whether they see the project, and where a package of the project comes from there."""

    def ask(_: int) -> tuple[str, bool, str]:
        from python_udfs.metadata import names  # noqa: PLC0415 - in the executor

        return str(os.geteuid()), os.access(project, os.R_OK | os.X_OK), names.__file__

    project = str(PROJECT)
    versions = spark_session().sparkContext.parallelize(range(2), 2).map(ask).collect()
    return [list(row) for row in set(versions)]


COMMANDS = {
    command.__name__: command
    for command in (run_dbt, sql, differences, snapshots, watch, pauses, executors, on_executors)
}


def main() -> None:
    """Answers until standard input ends."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            command, *arguments = json.loads(line)
            try:
                answer = {"answer": COMMANDS[command](*arguments)}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer, default=str), file=answers, flush=True)
    # Spark's event log is on the object store once it is closed.
    if SparkContext._active_spark_context:
        SparkContext._active_spark_context.stop()


if __name__ == "__main__":
    main()
