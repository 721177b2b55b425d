"""How long a change takes from its file to silver in the continuous mode, when one table of many has new changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.apply import WrongResult
from benchmarks.lake import Lake
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
    watch = Watch(WarmDbt(lake.project.project), spark_session)
    watch.cycle()
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for number in range(warm_up + repeats):
        table = number % tables
        sources[table].change(changes)
        for has_news in (True, False):
            started = time.perf_counter()
            found = watch.cycle()
            seconds[has_news].append(time.perf_counter() - started)
            if found != has_news or lake.fingerprint(f"silver.s__t{table}") != lake.expected(sources[table]):
                raise WrongResult(f"silver.s__t{table} is not what its files say after a cycle")
    counted = (found[warm_up:] for found in (seconds[True], seconds[False]))
    return Watching(tables, *(median(found[1:] or found) for found in counted))
