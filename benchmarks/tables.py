"""Measures many small tables, from raw to silver, start of the process included, beside a pool of threads."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, Lake, cpu_seconds
from benchmarks.variants import MERGE_ON_READ

LOADED_ROWS = 1_000
DRIVER = ("memory", "host", "extraJavaOptions")
SETTINGS = ("spark.master", "spark.jars.packages", "spark.ui.enabled", *(f"spark.driver.{name}" for name in DRIVER))
PROPERTIES = f"tblproperties ('format-version' = '2', {MERGE_ON_READ})"


@dataclass
class Tables:
    """Costs of whole processes: the project's build, R6, and builds with nothing new and with data tests."""

    tables: int
    changes: int
    ours: Cost
    pool: Cost
    nothing_new: Cost
    with_tests: Cost


def measure(root: Path, tables: int, changes: int, threads: int = 4) -> Tables:
    """Builds the tables, then has both sides take a change file of each.

    Args:
        root: an empty folder.
        tables: how many.
        changes: changes per table.
        threads: models, or tables, at a time.

    Raises:
        WrongResult: a table does not hold what it must, or the build with nothing new made a snapshot.
    """
    lake = Lake(root, tables)
    sources = [lake.files(number, seed=number) for number in range(tables)]
    for source in sources:
        source.load(LOADED_ROWS)
    lake.dbt("build")
    for layer in ("bronze", "silver"):
        lake.spark.sql(f"create schema reference_{layer}")
        for number in range(tables):
            copy = f"reference_{layer}.s__t{number}"
            lake.spark.sql(f"create table {copy} using iceberg {PROPERTIES} as select * from {layer}.s__t{number}")
    for source in sources:
        source.change(changes)
    dbt = str(Path(sys.executable).with_name("dbt"))
    build = [dbt, "--quiet", "build", "--exclude-resource-type", "test", *lake.project.directories]
    ours = process_cost(build)
    settings = root / "pool.json"
    settings.write_text(
        json.dumps(
            {
                "spark": {
                    name: value
                    for name, value in lake.spark.sparkContext.getConf().getAll()
                    if name in SETTINGS or name.startswith("spark.sql.")
                },
                "folders": [str(source.folder) for source in sources],
                "threads": threads,
            }
        )
    )
    pool = process_cost([sys.executable, "-m", "benchmarks.pool", str(settings)])
    for number, source in enumerate(sources):
        expected = lake.expected(source)
        for table in (f"silver.s__t{number}", f"reference_silver.s__t{number}"):
            actual = lake.fingerprint(table)
            if actual != expected:
                raise WrongResult(f"{table} has rows and hash {actual}, expected {expected}")
    before = snapshot_counts(lake, tables)
    nothing_new = process_cost(build)
    if snapshot_counts(lake, tables) != before:
        raise WrongResult("a build with nothing new made a snapshot")
    # The tests of the build that counts compare one step, as those of every later build.
    lake.dbt("test")
    for source in sources:
        source.change(changes)
    with_tests = process_cost([dbt, "--quiet", "build", *lake.project.directories])
    for number, source in enumerate(sources):
        if lake.fingerprint(f"silver.s__t{number}") != lake.expected(source):
            raise WrongResult(f"silver.s__t{number} does not hold the second batch")
    return Tables(tables, changes, ours, pool, nothing_new, with_tests)


def snapshot_counts(lake: Lake, tables: int) -> list[int]:
    """The number of snapshots of each bronze and silver table."""
    names = [f"{layer}.s__t{number}.snapshots" for layer in ("bronze", "silver") for number in range(tables)]
    return [row[0] for name in names for row in lake.spark.sql(f"select count(*) from {name}").collect()]


def process_cost(command: list[str]) -> Cost:
    """The cost of a whole process with those it starts; CPU as of the last look, a tenth of a second before its end."""
    started, cpu = time.perf_counter(), 0.0
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(command, stdout=said, stderr=said) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            cpu = max(cpu, cpu_seconds(watched))
            time.sleep(0.1)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said.read()[-2000:]}")
    return Cost(time.perf_counter() - started, cpu)
