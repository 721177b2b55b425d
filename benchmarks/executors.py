"""Measures one and two executors by a full load and a batch, from the event log: `python -m benchmarks.executors`.

On the cluster of tests/cluster: Spark standalone, S3 over a folder, a REST catalog, one core for each executor. The
numbers are what docs/cluster/sizing.md counts with.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.data import TIMESTAMP_COLUMN, TableFiles
from python_udfs.cli.console import text_table
from python_udfs.codegen.__main__ import main as make_models
from python_udfs.metadata import FEEDS_FILE, HEADERS, TABLES_FILE
from tests.cluster.clusters import Cluster, Driver, a_cluster, a_driver, unpacked

FEED = {"feed": "bench", "connector": "dms", "format": "parquet", "location": "bench"}
TABLE = {"feed": "bench", "source_schema": "s", "source_table": "t0", "primary_key": "id", "delete_mode": "hard"}
CELLS = {"mode": "current", "write_mode": "merge-on-read", "active": "true"}
BATCHES = 3  # the first one warms the executors up


@dataclass
class Step:
    """Cost of one command of dbt.

    Attributes:
        name: what it did.
        begin: when, in seconds since 1970.
        end: when it ended.
        executors: sums of its tasks by executor: seconds of CPU, bytes.
    """

    name: str
    begin: float
    end: float
    executors: dict[str, Counter[str]] = field(default_factory=dict)


def measure(executors: int, rows: int, changes: int) -> list[Step]:
    """Loads a table and applies batches to it.

    Args:
        executors: how many there are, with one core each.
        rows: of the full load.
        changes: of each batch.
    """
    with a_cluster("rest", workers=executors) as cluster:
        cluster.environment["SPARK_SHUFFLE_PARTITIONS"] = "16"
        _describe(cluster)
        files = TableFiles(cluster.folder / "source" / "bench" / "s" / "t0")
        steps = []
        with a_driver(cluster) as driver:
            driver.dbt("seed")
            files.load(rows)
            steps.append(_step(cluster, driver, files, "full load"))
            for number in range(BATCHES):
                files.change(changes)
                steps.append(_step(cluster, driver, files, f"batch {number + 1}"))
            steps.append(_step(cluster, driver, files, "nothing new"))
            expected = sum(table.num_rows for table in files.state())
            counted = driver("sql", "select count(*) from silver.s__t0")
            if counted != [[expected]]:
                raise SystemExit(f"silver has {counted} rows, expected {expected}")
        for task in _tasks(cluster.store.folder / "logs"):
            _count(task, steps)
    return steps


def _describe(cluster: Cluster) -> None:
    """One feed and one table as the project's metadata."""
    rows: dict[str, list[dict[str, str]]] = {
        **{name: [] for name in HEADERS},
        FEEDS_FILE: [{**FEED, "options": f"timestamp_column={TIMESTAMP_COLUMN}"}],
        TABLES_FILE: [{**TABLE, **CELLS}],
    }
    for name, of_file in rows.items():
        with (cluster.project / "seeds" / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, HEADERS[name], restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(of_file)
    if make_models(["--project-dir", str(cluster.project)]):
        raise SystemExit("the metadata of the benchmark is wrong")


def _step(cluster: Cluster, driver: Driver, files: TableFiles, name: str) -> Step:
    """Lands what the source has written, and runs the models."""
    source = cluster.folder / "source"
    cluster.land(lambda root: [path.rename(root / path.name) for path in source.iterdir()])
    files.folder.mkdir(parents=True, exist_ok=True)
    begin = time.time()
    driver.dbt("run")
    return Step(name, begin, time.time())


def _tasks(logs: Path) -> Iterator[dict[str, Any]]:
    """The ended tasks of all event logs in a folder."""
    for path in sorted(logs.rglob("events_*.zstd")):
        lines = unpacked(path).splitlines()
        yield from (event for line in lines if (event := json.loads(line))["Event"] == "SparkListenerTaskEnd")


def _count(task: dict[str, Any], steps: list[Step]) -> None:
    """Adds a task to its step, by the time when it was launched."""
    info, metrics = task["Task Info"], task["Task Metrics"]
    read, written = metrics["Shuffle Read Metrics"], metrics["Shuffle Write Metrics"]
    for step in steps:
        if step.begin <= info["Launch Time"] / 1000 <= step.end:
            step.executors.setdefault(info["Executor ID"], Counter()).update(
                tasks=1,
                cpu=(metrics["Executor CPU Time"] + metrics["Executor Deserialize CPU Time"]) / 1e9,
                shuffle_written=written["Shuffle Bytes Written"],
                shuffle_read=read["Remote Bytes Read"] + read["Local Bytes Read"],
                from_others=read["Remote Bytes Read"],
                spilled=metrics["Disk Bytes Spilled"],
            )


def report(executors: int, steps: list[Step]) -> str:
    """A line for each step and executor."""
    head = [
        "executors",
        "step",
        "wall s",
        "executor",
        "tasks",
        "CPU s",
        "shuffled MB",
        "read of others MB",
        "spilled MB",
    ]
    lines = []
    for step in steps:
        for name, sums in sorted(step.executors.items()) or [("none", Counter())]:
            numbers = [sums[key] / 1e6 for key in ("shuffle_written", "from_others", "spilled")]
            lines.append(
                [str(executors), step.name, f"{step.end - step.begin:.1f}", name, f"{sums['tasks']}",
                 f"{sums['cpu']:.1f}", *(f"{number:.1f}" for number in numbers)]
            )  # fmt: skip
    return text_table(head, lines, "><><>>>>>")


def main() -> None:
    """Measures with one and with two executors, and prints both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the full load (default: 2,000,000)")
    parser.add_argument("--changes", type=int, default=100_000, help="of a batch (default: 100,000)")
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2], help="how many (default: 1, then 2)")
    arguments = parser.parse_args()
    for executors in arguments.executors:
        print(report(executors, measure(executors, arguments.rows, arguments.changes)), flush=True)


if __name__ == "__main__":
    main()
