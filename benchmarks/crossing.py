"""From how many rows of a table on a batch is cheaper to apply by replacing rows than by a MERGE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.apply import WARM_UP_ROWS, WrongResult
from benchmarks.lake import Cost, Lake, measured, middle

# By way, the rows from which on a table is one whose rows are replaced (`cdc_replace_rows_from`).
WAYS = {"replaced": 1, "merged": 10**12}
# Iceberg's name of the last commit of a batch.
COMMITS = {"replaced": "append", "merged": "overwrite"}


@dataclass
class Crossing:
    """Costs of silver's batches of one size on tables of one size, by way."""

    rows: int
    changes: int
    costs: dict[str, Cost]


def measure(root: Path, sizes: Sequence[int], changes: Sequence[int], repeats: int, warm_up: int) -> list[Crossing]:
    """Applies batches to two tables of each size, one for each way.

    Args:
        root: an empty folder, or one that was measured in before.
        sizes: rows of the tables.
        changes: of a batch.
        repeats: batches of each size on each table; the first warms up.
        warm_up: batches of each way on a small table before that.

    Raises:
        WrongResult: a table does not hold what it must, or was not written in the way that it stands for.
    """
    pairs = [(rows, way) for rows in (min(WARM_UP_ROWS, sizes[0]), *sizes) for way in WAYS]
    lake = Lake(root, len(pairs))
    sources = [lake.files(number, seed=number) for number in range(len(pairs))]
    for number, (rows, _) in enumerate(pairs):
        sources[number].load(rows)
        lake.build(number)

    def batch(number: int, size: int) -> Cost:
        ways = ["--vars", f"cdc_replace_rows_from: {WAYS[pairs[number][1]]}"]
        silver = ["run", "--select", f"silver_s__t{number}", *ways]
        sources[number].change(size)
        lake.dbt("run", "--select", f"+bronze_s__t{number}", *ways)
        with measured() as cost:
            lake.dbt(*silver)
        with measured() as idle:
            lake.dbt(*silver)
        return Cost(cost.wall - idle.wall, cost.cpu - idle.cpu)

    small, large = range(len(WAYS)), range(len(WAYS), len(pairs))
    for number in [*small] * warm_up:
        batch(number, changes[0])
    crossings = []
    for size in changes:
        costs: dict[int, list[Cost]] = {number: [] for number in large}
        for turn in range(repeats):
            for number in reversed(large) if turn % 2 else large:
                costs[number].append(batch(number, size))
        for position, rows in enumerate(sizes):
            of_rows = large[position * len(WAYS) :]
            crossings.append(Crossing(rows, size, {way: middle(costs[of_rows[i]]) for i, way in enumerate(WAYS)}))
    for number, (_, way) in enumerate(pairs[large.start :], large.start):
        silver = f"silver.s__t{number}"
        if lake.fingerprint(silver) != lake.expected(sources[number]):
            raise WrongResult(f"{silver} is not what it must be")
        query = f"select max_by(operation, committed_at) as operation from {silver}.snapshots"
        [row] = lake.spark.sql(query).collect()
        if row.operation != COMMITS[way]:
            raise WrongResult(f"{silver} was not {way}: its last commit is {row.operation}, expected {COMMITS[way]}")
    return crossings
