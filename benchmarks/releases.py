"""Measures the same work on each release of Spark, one after the other, each in its own environment of Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks import apply, lake, load, tables
from benchmarks.lake import Cost
from benchmarks.variants import VARIANTS
from python_udfs.kafka.spark_package import PACKAGE as KAFKA
from spark_files.releases import RELEASES
from tests.e2e.lakehouse import list_environments

TUNED_MERGE = VARIANTS[0]


def measure(
    root: Path, rows: int, changes: int, many: int, repeats: int, warm_up: int, report: Callable[[str], None]
) -> dict[str, dict[str, Cost]]:
    """Has a process of each release measure.

    Args:
        root: an empty folder.
        rows: of a table that is loaded, and takes batches.
        changes: of a batch.
        many: how many small tables are built by whole processes.
        repeats: batches; the first warms up.
        warm_up: batches of a small table before.
        report: called with a line for each release.

    Returns:
        By release, the newest first, costs by what was done.

    Raises:
        subprocess.CalledProcessError: the process of a release failed.
    """
    costs, environments = {}, list_environments()
    for release in sorted(RELEASES.keys() - environments.keys()):
        report(f"Spark {release} has no environment here and is not measured; run: make setup SPARK={release}")
    for release, folder in environments.items():
        numbers = map(str, (rows, changes, many, repeats, warm_up))
        said = subprocess.run(
            [folder / "bin" / "python", "-m", "benchmarks.releases", root / release, *numbers],
            env=os.environ | {"VIRTUAL_ENV": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        report(f"Spark {release} is measured")
        costs[release] = {name: Cost(**cost) for name, cost in json.loads(said.splitlines()[-1]).items()}
    return costs


def main(root: str, *numbers: str) -> None:
    """Measures the release of this environment; prints the costs as JSON in the last line.

    Args:
        root: an empty folder.
        numbers: those of `measure`, from `rows` to `warm_up`.
    """
    rows, changes, many, repeats, warm_up = map(int, numbers)
    # Each release has another jar of Delta.
    lake.SETTINGS["spark.jars.packages"] = KAFKA
    folder = Path(root)
    loaded = load.measure(folder, rows)
    apply.warm_up(folder, changes, warm_up, [TUNED_MERGE])
    [batches] = apply.measure(folder, rows, (changes,), "uniform", repeats, [TUNED_MERGE])
    built = tables.measure(folder, many, 100)
    costs = {
        f"full load of {rows:,} rows": loaded.ours,
        f"{changes:,} changes on {rows:,} rows": batches.cost(apply.OURS),
        f"the same by {TUNED_MERGE.describes}": batches.cost(TUNED_MERGE.name),
        f"{many} tables of {built.changes} changes, whole process": built.ours,
        "the same with data tests": built.with_tests,
        "the same with nothing new": built.nothing_new,
    }
    sys.stdout.write(json.dumps({name: asdict(cost) for name, cost in costs.items()}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
