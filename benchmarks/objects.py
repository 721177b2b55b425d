"""Measures a listing with 100 new files, by how many are known, in folders or with names that show a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.apply import WrongResult
from benchmarks.lake import FEED, Cost, measured, middle, project
from python_udfs.landing.listing import new_files

TABLES = 100
FILES_A_DAY = 10  # of each table
FIRST = datetime(2020, 1, 1)
LISTING = "etl_metadata.raw_listing"
# A file has so many names at most on file systems of Linux.
LINKS = 60_000
LAYOUTS: dict[str, Callable[[datetime], str]] = {
    "date folders": lambda at: f"{at:%Y/%m/%d}/",
    "flat folders": lambda at: "",
}


@dataclass
class Objects:
    """Costs of listings by layout and number of known files; `new` and `nothing` are in part, the middle of several."""

    first: dict[tuple[str, int], Cost] = field(default_factory=dict)
    full: dict[tuple[str, int], Cost] = field(default_factory=dict)
    new: dict[tuple[str, int], Cost] = field(default_factory=dict)
    nothing: dict[tuple[str, int], Cost] = field(default_factory=dict)


def measure(root: Path, numbers: tuple[int, ...], new: int, repeats: int, warm_up: int) -> Objects:
    """Lands files of 100 tables, lists them, and has some more listed in part.

    The tables get the same number of files a day: more known files are a longer history.

    Args:
        root: an empty folder.
        numbers: how many files are known.
        new: how many come before each listing.
        repeats: how often; the first is left out.
        warm_up: how often before that, of the first landing area, while Java compiles what runs in each listing.

    Raises:
        WrongResult: a listing has not found exactly the new files, or one in full finds more than those in part.
    """
    listings = Objects()
    for layout, folder in LAYOUTS.items():
        for number in numbers:
            key = (layout, number)
            lake = project(root / "objects")
            lake.add_feed(FEED, "parquet", "full_listing_hours=8760")
            lake.add_table(FEED, "t0")
            lake.make_models()
            names = _names(folder)
            landing = _Links(lake.raw / FEED)
            for _ in range(number):
                landing.add(next(names))
            _dbt(lake, "seed")
            with measured() as listings.first[key]:
                _dbt(lake, "run", "--select", "raw_listing")
            _check(number, SparkSession.builder.getOrCreate())
            costs: dict[bool, list[Cost]] = {True: [], False: []}
            listed = number
            runs_before = 0 if listings.new else warm_up
            for _ in range(runs_before + repeats):
                for has_new in (True, False):
                    for _ in range(new if has_new else 0):
                        landing.add(next(names))
                        listed += 1
                    with measured() as cost:
                        _dbt(lake, "run", "--select", "raw_listing")
                    costs[has_new].append(cost)
                    _check(listed, SparkSession.builder.getOrCreate())
            listings.new[key], listings.nothing[key] = (
                middle(costs[has_new][runs_before:]) for has_new in (True, False)
            )
            spark = SparkSession.builder.getOrCreate()
            feed = {"feed": FEED, "connector": "dms", "format": "parquet", "location": FEED, "is_multi_table": False}
            with measured() as listings.full[key]:
                others = new_files(spark, [feed], spark.table(LISTING))
            if others is not None:
                raise WrongResult(
                    f"a listing in full finds {others.count()} files that listings in part have not found"
                )
    return listings


def _names(folder: Callable[[datetime], str]) -> Iterator[str]:
    """Keys of change files, a day of all tables after the other."""
    day = FIRST
    while True:
        for number in range(FILES_A_DAY):
            at = day + timedelta(hours=2 * number)
            for table in range(TABLES):
                yield f"s/t{table}/{folder(at)}{at:%Y%m%d-%H%M%S}000.parquet"
        day += timedelta(days=1)


class _Links:
    """Files of one byte, which are names of few: a name costs less than a file."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made, self._folders = folder, 0, set[str]()
        folder.mkdir(parents=True)

    def add(self, key: str) -> None:
        source = self._folder.parent / f"content{self._made // LINKS}"
        if self._made % LINKS == 0:
            source.write_bytes(b"x")
        target = f"{self._folder}/{key}"
        parent = target.rpartition("/")[0]
        if parent not in self._folders:
            Path(parent).mkdir(parents=True, exist_ok=True)
            self._folders.add(parent)
        os.link(source, target)
        self._made += 1


def _dbt(lake: Any, *arguments: str) -> None:
    outcome = lake.dbt("--quiet", *arguments)
    if not outcome.success:
        raise RuntimeError(f"dbt {' '.join(arguments)} failed: {outcome.exception or lake.messages}")


def _check(expected: int, spark: SparkSession) -> None:
    row = spark.sql(f"select count(*), count(distinct file_key) from {LISTING} where kind = 'change'").first()
    if row is None or tuple(row) != (expected, expected):
        raise WrongResult(f"{LISTING} has {row} rows and files, expected {expected}")
