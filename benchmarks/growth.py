"""How the cost of one batch grows with the table, and how many of its files a batch of recent keys reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from benchmarks import apply
from benchmarks.apply import WrongResult, next_batch
from benchmarks.data import Skew
from benchmarks.lake import Cost, Lake
from benchmarks.variants import VARIANTS

COMPARED = tuple(variant for variant in VARIANTS if variant.name in ("r1", "r5"))
FILES = 16
BYTES_PER_ROW = 60  # of a data file, about


@dataclass
class Growth:
    """Costs of batches of one size, by variant and by rows of the table."""

    changes: int
    costs: dict[str, dict[int, Cost]] = field(default_factory=dict)

    def exponent(self, variant: str) -> float:
        """See `exponent`, of CPU seconds."""
        return exponent({rows: cost.cpu for rows, cost in self.costs[variant].items()})


@dataclass
class Pruning:
    """Data files of silver before a batch of each skew, and how many of them the batch read."""

    rows: int
    changes: int
    files: dict[Skew, int] = field(default_factory=dict)
    read: dict[Skew, int] = field(default_factory=dict)


def exponent(points: Mapping[int, float]) -> float:
    """The power of the size that a cost grows with, by least squares on logarithms: 0 constant, 1 in proportion.

    Args:
        points: cost by size, all above 0, of two sizes or more.

    Raises:
        ValueError: fewer than two sizes, or one that is not above 0.
    """
    if len(points) < 2:
        raise ValueError(f"costs of two sizes or more are needed, found {len(points)}")
    logs = [(math.log(size), math.log(cost)) for size, cost in points.items()]
    slope, _ = np.polyfit(*zip(*logs, strict=True), 1)
    return float(slope)


def measure(root: Path, sizes: tuple[int, ...], changes: int, repeats: int, warm_up: int) -> Growth:
    """Applies batches of one size to tables of several sizes.

    Args:
        root: an empty folder.
        sizes: rows of the tables.
        changes: of a batch.
        repeats: batches for each size; the first warms up.
        warm_up: see `apply.warm_up`.

    Raises:
        WrongResult: a variant's table does not hold what it must.
    """
    growth = Growth(changes)
    apply.warm_up(root, changes, warm_up, COMPARED)
    for rows in sizes:
        [series] = apply.measure(root, rows, (changes,), "uniform", repeats, COMPARED)
        for variant in series.costs:
            growth.costs.setdefault(variant, {})[rows] = series.cost(variant)
    return growth


def measure_pruning(root: Path, rows: int, changes: int) -> Pruning:
    """Counts the data files that a batch of silver reads, of a table that is ordered by its key.

    Args:
        root: an empty folder.
        rows: of the table.
        changes: of a batch.

    Raises:
        WrongResult: silver does not hold what it must, or is not made of several files.
    """
    target = f"write.target-file-size-bytes={rows * BYTES_PER_ROW // FILES}"
    lake = Lake(root, [{"table_properties": target}], large_from=rows)
    files = lake.files()
    files.load(rows)
    lake.build()
    pruning = Pruning(rows, changes)
    skews: tuple[Skew, ...] = ("recent", "uniform")
    for skew in skews:
        files.skew = skew
        next_batch(lake, files, changes)
        [[count]] = lake.spark.sql("select count(*) from silver.s__t0.data_files").collect()
        if count < FILES // 2:
            raise WrongResult(f"silver.s__t0 has {count} data files, which shows nothing")
        last = last_statement(lake.spark)
        lake.dbt("run", "--select", "silver_s__t0")
        pruning.files[skew], pruning.read[skew] = count, files_read(lake.spark, "lakehouse.silver.s__t0", last)
        if lake.fingerprint("silver.s__t0") != lake.expected(files):
            raise WrongResult(f"silver.s__t0 is not what its files say after a batch of {skew} keys")
    return pruning


def last_statement(spark: SparkSession) -> int:
    """The number of the newest statement of this process."""
    statements = _statements(spark)
    return int(statements.apply(statements.size() - 1).executionId())


def files_read(spark: SparkSession, table: str, after: int) -> int:
    """How many data files of a table Spark planned to read, over all statements since; one read twice counts twice.

    It is what Iceberg reports to Spark with each scan, after files were left out by the bounds of their columns.

    Args:
        spark: any session of the process.
        table: its name with the catalog.
        after: number of the last statement that does not count.
    """
    statements, store = _statements(spark), _store(spark)
    total = 0
    for execution in (statements.apply(index).executionId() for index in range(statements.size())):
        if execution > after:
            values, nodes = store.executionMetrics(execution), store.planGraph(execution).allNodes()
            for node in (nodes.apply(index) for index in range(nodes.size())):
                if node.name() == f"BatchScan {table}":
                    metrics = (node.metrics().apply(index) for index in range(node.metrics().size()))
                    [planned] = [metric for metric in metrics if metric.name() == "number of result data files"]
                    total += int(values.apply(planned.accumulatorId()).replace(",", ""))
    return total


def _statements(spark: SparkSession) -> Any:
    """The statements of this process that Spark remembers, oldest first (Scala)."""
    # Another thread reports to the store what has just ended.
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return _store(spark).executionsList()


def _store(spark: SparkSession) -> Any:
    return spark._jsparkSession.sharedState().statusStore()
