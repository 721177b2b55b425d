"""How long a change takes from its file to silver in the continuous mode, when one table of many has new changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.apply import WrongResult
from benchmarks.data import TableFiles
from benchmarks.lake import Cost, Lake, measured, middle
from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.watch.loop import Watch

LOADED_ROWS = 1_000


@dataclass
class Watching:
    """Seconds on the clock of cycles, the middle of several."""

    tables: int
    with_changes: float
    without: float


def measure(root: Path, tables: int, changes: int, repeats: int, warm_up: int) -> Watching:
    """Builds the tables, then has a watch find a change file of one of them, and nothing, in turn.

    Args:
        root: an empty folder.
        tables: how many.
        changes: changes in the file.
        repeats: how often; the first is left out.
        warm_up: how often before that, while Java compiles what runs in each cycle.

    Raises:
        WrongResult: silver does not hold the changes when the cycle has ended.
    """
    lake = Lake(root, tables)
    sources = [lake.files(number, seed=number) for number in range(tables)]
    for source in sources:
        source.load(LOADED_ROWS)
    lake.project.dbt("--quiet", "seed")
    with_changes, without = cycles(lake, sources, changes, repeats, warm_up)
    return Watching(tables, with_changes.wall, without.wall)


def cycles(lake: Lake, sources: Sequence[TableFiles], changes: int, repeats: int, warm_up: int) -> tuple[Cost, Cost]:
    """Has a watch find a change file of one table after the other, and nothing, in turn.

    Args:
        lake: its tables t0, t1, … have the files of the sources.
        sources: of the tables that change.
        changes: see `measure`.
        repeats: see `measure`.
        warm_up: see `measure`.

    Returns:
        The cost of a cycle with changes and of one without, the middle of several.

    Raises:
        WrongResult: see `measure`.
    """
    watch = Watch(WarmDbt(lake.project.project), spark_session, lake.project.project)
    watch.cycle()
    costs: dict[bool, list[Cost]] = {True: [], False: []}
    for number in range(warm_up + repeats):
        table = number % len(sources)
        sources[table].change(changes)
        for has_changes in (True, False):
            with measured() as cost:
                built = watch.cycle()
            costs[has_changes].append(cost)
            if built != has_changes or lake.fingerprint(f"silver.s__t{table}") != lake.expected(sources[table]):
                raise WrongResult(f"silver.s__t{table} is not what its files say after a cycle")
    return middle(costs[True][warm_up:]), middle(costs[False][warm_up:])
