"""Measures the cost that data tests add to a build of one large table, batch after batch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, Lake, measured

BUILD = ("build", "--select", "+silver_s__t0")
WITHOUT_TESTS = ("--exclude-resource-type", "test")
MAINTAIN_EVERY = 25


@dataclass
class Checks:
    """Costs of builds without and with data tests, in turn, each of one batch; and the rows of the table."""

    rows: int
    changes: int
    without: list[Cost]
    with_tests: list[Cost]


def measure(root: Path, rows: int, changes: int, rounds: int) -> Checks:
    """Loads a table, proves it whole, and builds two batches a round: one without data tests, one with them.

    Args:
        root: an empty folder.
        rows: rows that are loaded.
        changes: changes of a batch.
        rounds: how many; after each 25 of them `maintain` runs.

    Raises:
        WrongResult: silver does not hold what its files make of it.
        RuntimeError: dbt failed.
    """
    lake = Lake(root, large_from=rows)
    files, dbt = lake.files(), lake.dbt
    files.load(rows)
    dbt(*BUILD)
    checks = Checks(rows, changes, [], [])
    for number in range(rounds):
        files.change(changes)
        with measured() as cost:
            dbt(*BUILD, *WITHOUT_TESTS)
        checks.without.append(cost)
        dbt("test", "--select", BUILD[-1])  # the next build with tests compares one batch, as this one built one
        files.change(changes)
        with measured() as cost:
            dbt(*BUILD)
        checks.with_tests.append(cost)
        if (number + 1) % MAINTAIN_EVERY == 0:
            dbt("run-operation", "maintain")
    if lake.fingerprint("silver.s__t0") != lake.expected(files):
        raise WrongResult("silver.s__t0 is not what its files make of it")
    return checks
