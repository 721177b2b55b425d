"""Measures the cost of a batch of changes to a silver table, beside ways written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.data import Skew, TableFiles
from benchmarks.lake import Cost, Lake, measured, middle
from benchmarks.variants import DELTA_SETTINGS, VARIANTS, Batch, Variant
from dbt.adapters.sparksession.snapshots import current_snapshot_id
from spark_files.capabilities import appended_rows_sql

OURS = "ours"
WARM_UP_ROWS = 100_000


@dataclass
class Series:
    """Costs of applying batches of one size to a table of one size, by variant."""

    rows: int
    changes: int
    skew: Skew
    costs: dict[str, list[Cost]] = field(default_factory=dict)

    def cost(self, variant: str) -> Cost:
        """Cost of a batch for a variant."""
        return middle(self.costs[variant])


def warm_up(root: Path, changes: int, batches: int, variants: Sequence[Variant] = VARIANTS) -> None:
    """Applies batches that do not count to a small table.

    Java runs the first batches of a process at twice the cost of the later ones, which would fall on what comes first.

    Args:
        root: see `measure`.
        changes: of a batch.
        batches: how many; 0: none.
        variants: see `measure`.

    Raises:
        WrongResult: see `measure`.
    """
    if batches:
        measure(root, WARM_UP_ROWS, (changes,), "uniform", batches, variants)


def measure(
    root: Path,
    rows: int,
    sizes: tuple[int, ...],
    skew: Skew,
    repeats: int,
    variants: Sequence[Variant] = VARIANTS,
) -> list[Series]:
    """Builds a table, copies it for each variant, and applies the same batches to all copies.

    Args:
        root: an empty folder, or one that was measured in before.
        rows: rows of the full load; so many make a table large to the project.
        sizes: changes of a batch.
        skew: `uniform` or `recent`; see `TableFiles`.
        repeats: batches of each size; the first warms up.
        variants: what ours is measured against.

    Raises:
        WrongResult: a variant's table does not hold what it must.
    """
    has_delta = any(variant.data_source == "delta" for variant in variants)
    lake = Lake(root, spark_settings=DELTA_SETTINGS if has_delta else None, large_from=rows)
    files = lake.files(skew=skew)
    files.load(rows)
    lake.build()
    lake.spark.sql("create schema if not exists reference")
    for variant in variants:
        create = f"using {variant.data_source} tblproperties ({variant.properties}) as select * from silver.s__t0"
        lake.spark.sql(f"create table {variant.table} {create}")
        if not variant.is_exact:
            lake.spark.sql(f"create table {variant.table}_limit {create} where false")
    measured = []
    for changes in sizes:
        series = Series(rows, changes, skew)
        for number in range(repeats):
            _apply(lake, files, series, variants, backwards=bool(number % 2))
        _check(lake, files, variants)
        measured.append(series)
    for variant in variants:
        lake.spark.sql(f"drop table {variant.table}")
    return measured


class WrongResult(Exception):
    """A variant's table does not hold what it must; its time would mean nothing."""


def _apply(lake: Lake, files: TableFiles, series: Series, variants: Sequence[Variant], *, backwards: bool) -> None:
    """One batch for every variant, in turn from the first and from the last."""
    snapshots = next_batch(lake, files, series.changes)
    steps: list[Variant | None] = [*variants, None]
    for variant in reversed(steps) if backwards else steps:
        batch = _read_batch(lake, snapshots)
        with measured() as cost:
            if variant is None:
                seconds = lake.dbt("run", "--select", "silver_s__t0")["silver_s__t0"]
            else:
                variant.apply(lake.spark, variant.table, batch)
        if variant is None:
            # dbt's own start belongs to the run, not to the table; its share of CPU is taken off likewise.
            cost = Cost(seconds, cost.cpu - _idle_cpu(lake))
        series.costs.setdefault(variant.name if variant else OURS, []).append(cost)


def next_batch(lake: Lake, files: TableFiles, changes: int) -> tuple[int, int]:
    """Has one more change file in bronze; returns bronze's snapshots before and after."""
    before = current_snapshot_id(lake.spark, "lakehouse.bronze.s__t0")
    files.change(changes)
    lake.dbt("run", "--select", "+bronze_s__t0")
    return before, current_snapshot_id(lake.spark, "lakehouse.bronze.s__t0")


def _read_batch(lake: Lake, snapshots: tuple[int, int]) -> Batch:
    """The rows between two snapshots of bronze, until the next dbt command ends: before Spark 4.0 a view has them."""
    columns = tuple(lake.spark.table("silver.s__t0").columns)
    rows = appended_rows_sql(lake.spark, "bronze.s__t0", *snapshots)
    return Batch(f"select {', '.join(columns)} from {rows}", columns)


def _idle_cpu(lake: Lake) -> float:
    """CPU seconds of a dbt run that has nothing to do."""
    with measured() as cost:
        lake.dbt("run", "--select", "silver_s__t0")
    return cost.cpu


def _check(lake: Lake, files: TableFiles, variants: Sequence[Variant]) -> None:
    expected = lake.expected(files)
    tables = {OURS: "silver.s__t0", **{variant.name: variant.table for variant in variants if variant.is_exact}}
    for name, table in tables.items():
        fingerprint = lake.fingerprint(table)
        if fingerprint != expected:
            raise WrongResult(f"{name}: {table} has rows and hash {fingerprint}, expected {expected}")
