"""A lakehouse to measure in: the project with tables of the benchmark, and what each step cost."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
import pyarrow.parquet as pq
import yaml
from pyspark.sql import SparkSession

from benchmarks.data import COLUMNS, NO_ROWS, TIMESTAMP_COLUMN, TableFiles, rows_of
from benchmarks.variants import DELTA
from python_udfs.kafka.spark_package import PACKAGE as KAFKA
from tests.e2e.lakehouse import REPOSITORY, SMALL_DATA, Lakehouse, set_environment

FEED = "bench"
COLUMN_NAMES = tuple(column.split(" ")[0] for column in COLUMNS.split(", "))
# Of every session of this process, beside the profile's. Jars are read when Java starts, so all have those of Delta: it
# does nothing before a session has its extension. Kafka's reader does nothing unless it is asked for.
SETTINGS = {"spark.jars.packages": f"{DELTA},{KAFKA}"}
# Settings that name several things: what is asked for is added to what the project has.
_LISTS = ("spark.jars.packages", "spark.sql.extensions")
_made: dict[Path, Lakehouse] = {}


@dataclass
class Cost:
    """Cost of a step: seconds on the clock, and CPU seconds of this process and its Java."""

    wall: float
    cpu: float


def cpu_seconds(process: psutil.Process | None = None) -> float:
    """CPU seconds that a process (None: this one) and those it started have used so far, without a Kafka broker."""
    parent = process or psutil.Process()
    total = 0.0
    for each in (parent, *parent.children(recursive=True)):
        try:
            if "kafka.Kafka" in each.cmdline():
                continue
            times = each.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


@contextmanager
def measured() -> Iterator[Cost]:
    """The cost of what is done inside, complete when it ends."""
    cost = Cost(0.0, 0.0)
    wall, cpu = time.perf_counter(), cpu_seconds()
    yield cost
    cost.wall, cost.cpu = time.perf_counter() - wall, cpu_seconds() - cpu


def middle(costs: Sequence[Cost]) -> Cost:
    """The middle one of each figure, the first, cold one left out if there are more."""
    counted = costs[1:] or costs
    return Cost(median(cost.wall for cost in counted), median(cost.cpu for cost in counted))


def take_little_data(root: Path) -> None:
    """Has Spark run as it does in the tests, before it starts: little data does not pay for compiling anything.

    Args:
        root: see `project`.
    """
    set_environment(root)
    SETTINGS.update(yaml.safe_load(SMALL_DATA))


def project(root: Path, spark_settings: Mapping[str, str] | None = None, large_from: int | None = None) -> Lakehouse:
    """A copy of the project that works under a folder, with nothing in it.

    One that this process made there before is emptied and taken again: Spark keeps running if the settings are
    the same.

    Args:
        root: an empty folder, or one that was given before.
        spark_settings: for Spark, beside the profile's; jars and extensions are added to those that it has.
        large_from: a table of so many rows is taken for large (`cdc_replace_rows_from`); None: as the project does.
    """
    root.mkdir(parents=True, exist_ok=True)
    os.environ["LAKEHOUSE_RAW"], os.environ["LAKEHOUSE_WAREHOUSE"] = str(root / "raw"), str(root / "warehouse")
    if root in _made:
        _made[root].clear()
        # A table that is dropped leaves its files.
        for folder in filter(Path.is_dir, (root / "warehouse").iterdir()):
            shutil.rmtree(folder)
    else:
        _made[root] = Lakehouse(root, spark_settings=None)
    copy = _made[root].project
    profiles = yaml.safe_load((REPOSITORY / "profiles" / "profiles.yml").read_text())
    config = profiles["lakehouse"]["outputs"]["local"]["config"]
    for name, value in {**SETTINGS, **(spark_settings or {})}.items():
        config[name] = f"{config[name]},{value}" if name in _LISTS else value
    (copy / "profiles" / "profiles.yml").write_text(yaml.safe_dump(profiles, sort_keys=False))
    settings = yaml.safe_load((REPOSITORY / "dbt_project.yml").read_text())
    if large_from is not None:
        settings["vars"] = {**settings.get("vars", {}), "cdc_replace_rows_from": large_from}
    (copy / "dbt_project.yml").write_text(yaml.safe_dump(settings, sort_keys=False))
    return _made[root]


class Lake:
    """The project, its landing area and its warehouse under a folder, with nothing in them.

    Args:
        root: the folder; see `project`.
        tables: how many tables `t0`, `t1`, … the feed has, or the cells of each table's row beside the name.
        spark_settings: see `project`.
        large_from: see `project`.
    """

    def __init__(
        self,
        root: Path,
        tables: int | Sequence[Mapping[str, str]] = 1,
        spark_settings: Mapping[str, str] | None = None,
        large_from: int | None = None,
    ) -> None:
        self.root = root
        self.project = project(root, spark_settings, large_from)
        self.project.add_feed(FEED, "parquet", f"timestamp_column={TIMESTAMP_COLUMN}")
        for number, cells in enumerate([{}] * tables if isinstance(tables, int) else tables):
            self.project.add_table(FEED, f"t{number}", **cells)
        self.project.make_models()

    def files(self, number: int = 0, **settings: object) -> TableFiles:
        """The source of one table; settings go to TableFiles."""
        return TableFiles(self.root / "raw" / FEED / "s" / f"t{number}", **settings)  # type: ignore[arg-type]

    def dbt(self, *arguments: str) -> dict[str, float]:
        """One dbt command in this process.

        Returns:
            Seconds of each model; none of `run-operation`.

        Raises:
            RuntimeError: the command failed; with what dbt said.
        """
        outcome = self.project.dbt("--quiet", *arguments)
        if not outcome.success:
            raise RuntimeError(f"dbt {' '.join(arguments)} failed: {outcome.exception or self.project.messages}")
        results = outcome.result if arguments[0] != "run-operation" else []
        return {result.node.name: result.execution_time for result in results}  # type: ignore[union-attr]

    def build(self, number: int = 0) -> None:
        """Takes what has landed for one table into silver.

        Args:
            number: of the table.

        Raises:
            RuntimeError: dbt failed.
        """
        self.dbt("build", "--exclude-resource-type", "test", "--select", f"+silver_s__t{number}")

    @property
    def spark(self) -> SparkSession:
        """The session that dbt runs in, once it has run."""
        return SparkSession.builder.getOrCreate()

    def fingerprint(self, relation: str) -> tuple[int, int]:
        """The number of rows and the sum of their hashes; equal for equal rows in any order."""
        names = ", ".join(COLUMN_NAMES)
        row = self.spark.sql(f"select count(*), sum(cast(xxhash64({names}) as decimal(38, 0))) from {relation}").first()
        assert row is not None
        return int(row[0]), int(row[1] or 0)

    def expected(self, files: TableFiles) -> tuple[int, int]:
        """The fingerprint of what a table must hold."""
        path = self.root / "expected.parquet"
        path.unlink(missing_ok=True)
        with pq.ParquetWriter(path, rows_of(*NO_ROWS).schema, store_schema=False) as writer:
            for rows in files.state():
                writer.write_table(rows)
        return self.fingerprint(f"parquet.`{path}`")
