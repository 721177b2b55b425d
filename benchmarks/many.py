"""Measures the cost of a thousand tables, beside eighty, if nothing or one of them has changed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, Lake, measured
from benchmarks.tables import process_cost, snapshot_counts
from benchmarks.watching import cycles

LOADED_ROWS = 100


@dataclass
class Many:
    """Costs by the number of tables; those of `watched` are the middle of several cycles."""

    models: dict[int, Cost] = field(default_factory=dict)
    parsed: dict[int, Cost] = field(default_factory=dict)
    parsed_again: dict[int, Cost] = field(default_factory=dict)
    nothing_new: dict[int, Cost] = field(default_factory=dict)
    watched: dict[int, Cost] = field(default_factory=dict)
    watched_nothing: dict[int, Cost] = field(default_factory=dict)


def measure(root: Path, tables: tuple[int, ...], with_files: int, changes: int, repeats: int, warm_up: int) -> Many:
    """Builds the tables, has dbt find nothing new, and has a watch find a change file of one of them.

    Args:
        root: an empty folder.
        tables: how many, of each measurement.
        with_files: so many of them have a full load; the others are made without rows.
        changes: changes in a file.
        repeats: cycles of the watch with a change file, and as many without; the first is left out.
        warm_up: cycles before that.

    Raises:
        WrongResult: the build with nothing new made a snapshot, or silver does not hold the changes after a cycle.
    """
    figures = Many()
    dbt = str(Path(sys.executable).with_name("dbt"))
    for number in tables:
        lake = Lake(root, number)
        with measured() as figures.models[number]:
            lake.project.make_models()
        parse = [dbt, "--quiet", "parse", *lake.project.directories]
        figures.parsed[number] = process_cost([*parse, "--no-partial-parse"])
        figures.parsed_again[number] = process_cost(parse)
        sources = [lake.files(table, seed=table) for table in range(min(number, with_files))]
        for source in sources:
            source.load(LOADED_ROWS)
        lake.dbt("build", "--exclude-resource-type", "test")
        before = snapshot_counts(lake, number)
        figures.nothing_new[number] = process_cost(
            [dbt, "--quiet", "build", "--exclude-resource-type", "test", *lake.project.directories]
        )
        if snapshot_counts(lake, number) != before:
            raise WrongResult("a build with nothing new made a snapshot")
        costs = cycles(lake, sources, changes, repeats, warm_up)
        figures.watched[number], figures.watched_nothing[number] = costs
    return figures
