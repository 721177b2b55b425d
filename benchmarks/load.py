"""Measures the cost of a full load from raw to silver, beside one copy of its files into an Iceberg table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.apply import WARM_UP_ROWS, WrongResult
from benchmarks.lake import Cost, Lake, measured


@dataclass
class Load:
    """Costs of one full load: listing, bronze and silver together, and the copy."""

    rows: int
    ours: Cost
    copy: Cost


def measure(root: Path, rows: int) -> Load:
    """Loads one small table to warm up and one that counts.

    Args:
        root: an empty folder.
        rows: rows of the table that counts.

    Raises:
        WrongResult: silver does not hold what was loaded.
    """
    lake = Lake(root, tables=2)
    costs = []
    for number, count in enumerate((min(WARM_UP_ROWS, rows), rows)):
        files = lake.files(number)
        paths = [str(path) for path in files.load(count)]
        with measured() as ours:
            lake.build(number)
        with measured() as copy:
            lake.spark.read.parquet(*paths).writeTo(f"lakehouse.silver.copy_{number}").using("iceberg").create()
        costs.append((ours, copy))
        if lake.fingerprint(f"silver.s__t{number}") != lake.expected(files):
            raise WrongResult(f"silver.s__t{number} is not what was loaded")
    return Load(rows, *costs[-1])
