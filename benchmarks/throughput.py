"""How many changes a core takes from file to silver in a second: inserts, updates and deletes, several of most keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, Lake, measured


@dataclass
class Throughput:
    """Cost of a batch, listing, bronze and silver together, by its number of changes; and the rows of the table."""

    rows: int
    costs: dict[int, Cost]


def measure(root: Path, rows: int, sizes: tuple[int, ...], warm_up: int) -> Throughput:
    """Loads a table and builds batches of each size, smaller ones first.

    Args:
        root: an empty folder.
        rows: rows that are loaded.
        sizes: changes of the batches that count.
        warm_up: batches of the smallest size before, while Java compiles what runs in each.

    Raises:
        WrongResult: silver does not hold what its files make of it.
    """
    lake = Lake(root)
    files = lake.files()
    files.load(rows)
    lake.build()
    costs = {}
    for changes in (*[sizes[0]] * warm_up, *sizes):
        files.change(changes)
        with measured() as costs[changes]:
            lake.build()
    if lake.fingerprint("silver.s__t0") != lake.expected(files):
        raise WrongResult("silver.s__t0 is not what its files make of it")
    return Throughput(rows, costs)
