"""Measures the traces of many batches in one process: memory, files, and the cost of the next batch.

Two tables take batches with their data tests in turn, a block of them each: `t0` in Iceberg's format 2, `t1` in
format 3. So what grows can be distinguished by table, and what only warms up falls on both. Then `t0` continues alone,
and is compared with a fresh table of as many rows.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.apply import WrongResult
from benchmarks.data import TableFiles
from benchmarks.lake import Cost, Lake, measured, middle
from benchmarks.variants import MERGE_ON_READ
from python_udfs.cli.dbt import WarmDbt

FORMATS = {"t0": "2", "t1": "3"}
FRESH = "t2"


@dataclass(frozen=True)
class Memory:
    """MB after a full collection: used by Java's heap; held by the process of Java and by that of Python."""

    heap: float
    java: float
    python: float


@dataclass(frozen=True)
class Block:
    """Some batches of one table in a row, and what there was after the last of them.

    Attributes:
        batches: how many of this table, up to here.
        size: how many of these in this block.
        cpu: CPU seconds of a batch, from its file to silver and its data tests, the middle one.
        seconds: of the silver model on the clock, the middle one.
        data_files: of silver; then its delete files.
        heap_growth: MB of Java's heap since the block before, of whichever table.
    """

    table: str
    batches: int
    size: int
    cpu: float
    seconds: float
    data_files: int
    delete_files: int
    memory: Memory
    heap_growth: float


@dataclass
class Series:
    """Figures of all batches.

    Attributes:
        rows: of each table when it was loaded.
        changes: of a batch.
        scans: by table, costs of reading all of silver and all of a compacted copy, and after how many batches.
        history: costs of a batch on the old table and on the fresh one.
        earlier: how many batches each of the two had taken before.
    """

    rows: int
    changes: int
    blocks: list[Block] = field(default_factory=list)
    scans: dict[str, tuple[Cost, Cost, int]] = field(default_factory=dict)
    history: tuple[Cost, Cost] | None = None
    earlier: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Plan:
    """How long the series is.

    Attributes:
        rows: of each table when it is loaded.
        changes: of a batch.
        batches: of each of the two tables.
        block: batches of one table in a row.
        maintain_every: batches between two runs of `maintain`.
        scan_after: batches before the full scan.
        history: batches of the old table in the end.
        fresh: earlier batches of the fresh table.
        repeats: of what is compared; the first warms up.
    """

    rows: int
    changes: int
    batches: int
    block: int
    maintain_every: int
    scan_after: int
    history: int
    fresh: int
    repeats: int


def heap_growth(blocks: Sequence[Block], table: str) -> float:
    """MB by which Java's heap grows in 100 batches of a table; its first block, which warms up, is left out."""
    counted = [block for block in blocks if block.table == table][1:]
    batches = sum(block.size for block in counted)
    return 100 * sum(block.heap_growth for block in counted) / batches if batches else 0.0


def measure(root: Path, plan: Plan, report: Callable[[str], None]) -> Series:
    """Runs the series.

    Args:
        root: an empty folder.
        plan: how long it is.
        report: called with a line for each block, while it runs.

    Raises:
        WrongResult: a table does not hold what it must.
        RuntimeError: dbt failed.
    """
    cells = [{"table_properties": f"format-version={version}"} for version in FORMATS.values()]
    lake = Lake(root, [*cells, cells[0]], large_from=plan.rows)
    run = _Run(lake, plan)
    for table in FORMATS:
        run.sources[table].load(plan.rows)
        run.batch(table)
    series = Series(plan.rows, plan.changes)
    run.memory = memory(lake)
    for number in range(plan.batches // plan.block):
        for table in FORMATS:
            _block(run, series, table, (number + 1) * plan.block, report)
    for after in [*range(plan.batches, plan.history, plan.block), plan.history][1:]:
        _block(run, series, "t0", after, report)
    _compare_history(run, series)
    return series


class _Run:
    """The lakehouse while the series runs, with a dbt that has read the project once, as in the continuous mode."""

    def __init__(self, lake: Lake, plan: Plan) -> None:
        self.lake, self.plan = lake, plan
        self.sources: dict[str, TableFiles] = {
            name: lake.files(number) for number, name in enumerate((*FORMATS, FRESH))
        }
        self.taken = dict.fromkeys(self.sources, 0)
        self.memory = Memory(0.0, 0.0, 0.0)
        self._dbt = WarmDbt(lake.project.project)
        self.dbt("seed")

    def dbt(self, *arguments: str) -> Any:
        outcome = self._dbt(*arguments)
        if not outcome.success:
            raise RuntimeError(f"dbt {' '.join(arguments)} failed: {outcome.exception or outcome.result}")
        return outcome.result

    def change(self, table: str) -> None:
        """Has a change file land; between batches maintenance runs now and then."""
        if self.taken[table] and self.taken[table] % self.plan.maintain_every == 0:
            self.maintain(table)
        self.sources[table].change(self.plan.changes)
        self.taken[table] += 1

    def maintain(self, table: str) -> None:
        self.dbt("run-operation", "maintain", "--args", json.dumps({"tables": ["raw_listing", f"s__{table}"]}))

    def batch(self, table: str) -> tuple[Cost, float]:
        """Takes what has landed, with data tests; returns what it costs, and seconds of the silver model."""
        with measured() as cost:
            results = self.dbt("build", "--select", f"+silver_s__{table}")
        [seconds] = [result.execution_time for result in results if result.node.name == f"silver_s__{table}"]
        return cost, float(seconds)

    def check(self, table: str) -> None:
        actual, expected = self.lake.fingerprint(f"silver.s__{table}"), self.lake.expected(self.sources[table])
        if actual != expected:
            raise WrongResult(f"silver.s__{table} has rows and hash {actual}, expected {expected}")


def memory(lake: Lake) -> Memory:
    """Returns the memory of the two processes, after a full collection in both."""
    gc.collect()
    jvm: Any = lake.spark._jvm
    for _ in range(3):  # what one collection finds to be free, Spark removes meanwhile and the next one takes
        jvm.System.gc()
        time.sleep(0.3)
    runtime = jvm.Runtime.getRuntime()
    process = psutil.Process()
    java = sum(child.memory_info().rss for child in process.children(recursive=True) if child.name() == "java")
    used = (runtime.totalMemory() - runtime.freeMemory(), java, process.memory_info().rss)
    return Memory(*(number / 2**20 for number in used))


def _block(run: _Run, series: Series, table: str, until: int, report: Callable[[str], None]) -> None:
    """Batches of one table until it has taken so many."""
    size, costs = until - run.taken[table], []
    while run.taken[table] < until:
        run.change(table)
        costs.append(run.batch(table))
        if run.taken[table] == run.plan.scan_after:
            series.scans[table] = _scan(run, table)
    run.check(table)
    before, run.memory = run.memory, memory(run.lake)
    [files] = run.lake.spark.sql(
        f"""
        select count_if(content = 0) as data, count_if(content > 0) as deletes, sum(file_size_in_bytes) / 1048576 as mb
        from silver.s__{table}.files
        """
    ).collect()
    cpu, seconds = median(cost.cpu for cost, _ in costs), median(seconds for _, seconds in costs)
    grown = run.memory.heap - before.heap
    block = Block(table, until, size, cpu, seconds, files.data, files.deletes, run.memory, grown)
    series.blocks.append(block)
    report(
        f"  {table} format {FORMATS[table]}, {until:4} batches: heap {run.memory.heap:5.0f} MB ({grown:+.1f}), "
        f"Java {run.memory.java:5.0f} MB, Python {run.memory.python:4.0f} MB; silver {files.data} data files, "
        f"{files.deletes} delete files, {files.mb:.1f} MB; a batch {cpu:.2f} CPU s, its silver {seconds:.2f} s"
    )


def _scan(run: _Run, table: str) -> tuple[Cost, Cost, int]:
    """Reads all of silver and all of a copy in one piece, in turn; before the maintenance that is then due."""
    silver, copy = f"silver.s__{table}", f"reference.{table}_compacted"
    run.lake.spark.sql("create schema if not exists reference")
    run.lake.spark.sql(
        f"create table {copy} using iceberg tblproperties ('format-version' = '{FORMATS[table]}', {MERGE_ON_READ})"
        f" as select * from {silver} order by id"
    )
    costs: dict[str, list[Cost]] = {silver: [], copy: []}
    results = set()
    for number in range(run.plan.repeats):
        for relation in (silver, copy) if number % 2 else (copy, silver):
            with measured() as cost:
                results.add(run.lake.fingerprint(relation))
            costs[relation].append(cost)
    if len(results) > 1:
        raise WrongResult(f"{silver} and its copy differ: {results}")
    run.lake.spark.sql(f"drop table {copy}")
    return middle(costs[silver]), middle(costs[copy]), run.taken[table]


def _compare_history(run: _Run, series: Series) -> None:
    """Batches on the table with many earlier ones and on a fresh one of as many rows, in turn."""
    rows, _ = run.lake.fingerprint("silver.s__t0")
    run.sources[FRESH].load(rows)
    run.batch(FRESH)
    for _ in range(run.plan.fresh):
        run.change(FRESH)
        run.batch(FRESH)
    # Both begin as maintenance leaves them.
    for table in ("t0", FRESH):
        run.maintain(table)
    series.earlier = run.taken["t0"], run.taken[FRESH]
    costs: dict[str, list[Cost]] = {"t0": [], FRESH: []}
    for number in range(run.plan.repeats):
        for table in ("t0", FRESH) if number % 2 else (FRESH, "t0"):
            run.sources[table].change(run.plan.changes)
            cost, _ = run.batch(table)
            costs[table].append(cost)
            run.taken[table] += 1
    for table in costs:
        run.check(table)
    series.history = middle(costs["t0"]), middle(costs[FRESH])
