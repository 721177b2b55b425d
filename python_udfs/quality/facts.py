"""Judges the ``cdc_`` expectations: figures of a table's runs and of an older snapshot, with their limits.

Great Expectations judges the figures; they are so few that pandas holds them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from statistics import median
from typing import TYPE_CHECKING, Any

from python_udfs.metadata.expectations import ALL
from python_udfs.metadata.names import RESERVED_PREFIX, quoted
from python_udfs.quality.tables import alias, find_older_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import SparkSession

    from python_udfs.quality.checks import Check
    from python_udfs.quality.tables import SilverTable

# Arguments that a row leaves out.
DEFAULTS: dict[str, dict[str, Any]] = {
    "cdc_changes_to_be_usual": {"batches": 20, "times": 10},
    "cdc_share_of_deletes_to_be_usual": {"batches": 20, "more": 0.2},
    "cdc_lag_to_be_at_most": {},
    "cdc_null_rate_to_stay": {"days": 7, "more": 0.05},
    "cdc_distinct_count_to_stay": {"days": 7, "times": 2},
    "cdc_values_to_be_known": {"days": 7, "most": 20},
    "cdc_quantiles_to_stay": {"days": 7, "quantiles": [0.25, 0.5, 0.75], "share": 0.5},
}
# Fewer earlier batches show nothing usual.
FEWEST_BATCHES = 5
# Why a figure is missing: Spark counts the rows of a MERGE since 4.1.
NOT_COUNTED = "not counted (Spark counts the rows of a MERGE since 4.1)"
# Each new row has a new one: a column of few times is a column of few rows.
_TIMES = ("date", "timestamp", "timestamp_ntz")
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")


@dataclass(frozen=True)
class Run:
    """Effect of a run on a table, from `etl_metadata.run_metrics`; ``newest_at`` in UTC."""

    changes: int
    rows: int | None
    deleted: int | None
    newest_at: datetime | None

    @property
    def share_of_deletes(self) -> float | None:
        """Of the rows that it inserted, updated or deleted; None: they were not counted."""
        if self.rows is None or self.deleted is None:
            return None
        return self.deleted / self.rows if self.rows else 0.0


@dataclass(frozen=True)
class Fact:
    """A figure, or values, to be judged.

    Attributes:
        check: what it is for.
        label: names it in Data Docs.
        values: the figure alone, or values of a column.
        least: the smallest figure that is good; None: any.
        most: the greatest.
        accepted: the values that are good, in place of the two.
        note: why there is nothing to judge.
    """

    check: Check
    label: str = ""
    values: tuple[Any, ...] = ()
    least: float | None = None
    most: float | None = None
    accepted: tuple[str, ...] | None = None
    note: str = ""

    @property
    def expected(self) -> str:
        """Returns the accepted values, in words."""
        if self.accepted is not None:
            return f"one of {json.dumps(self.accepted, ensure_ascii=False)}"
        bounds = [
            f"{word} {_text(value)}"
            for word, value in (("at least", self.least), ("at most", self.most))
            if value is not None
        ]
        return " and ".join(bounds)

    @property
    def observed(self) -> str:
        """Returns the observed values, in words."""
        if self.accepted is not None:
            new = sorted(set(self.values) - set(self.accepted))
            return f"{self.label}: {len(new)} first seen{': ' if new else ''}{', '.join(map(repr, new[:5]))}"
        return f"{self.label} {_text(self.values[0])}" if self.values else ""


def _text(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.6g}"


def fill_arguments(check: Check) -> dict[str, Any]:
    """The arguments of a ``cdc_`` expectation, filled in."""
    return {**DEFAULTS[check.row.expectation], **check.row.arguments}


def read_runs(spark: SparkSession, relation: str, most: int) -> dict[str, list[Run]]:
    """The newest runs of each silver table with changes, the newest first.

    Args:
        spark: the session to read with.
        relation: of `run_metrics`.
        most: how many of each table.

    Returns:
        Runs by table, without its schema.
    """
    rows = spark.sql(
        "select silver_table, changes, rows_inserted + rows_updated + rows_deleted as touched, rows_deleted,"
        " newest_committed_at from (select *, row_number() over (partition by silver_table order by committed_at desc)"
        f" as place from {relation} where is_current and changes > 0)"
        f" where place <= {most} order by silver_table, place"
    ).collect()
    runs: dict[str, list[Run]] = {}
    for row in rows:
        run = Run(row.changes, row.touched, row.rows_deleted, row.newest_committed_at)
        runs.setdefault(row.silver_table.split(".", 1)[-1], []).append(run)
    return runs


def judge_runs(checks: Iterable[Check], runs: Sequence[Run], now: datetime) -> list[Fact]:
    """The facts of the checks that read no table.

    Args:
        checks: any checks of one table; others are left out.
        runs: of the table, the newest first.
        now: when the run of the checks started, UTC.
    """
    facts = []
    for check in checks:
        name = check.row.expectation
        if name not in ("cdc_changes_to_be_usual", "cdc_share_of_deletes_to_be_usual", "cdc_lag_to_be_at_most"):
            continue
        given = fill_arguments(check)
        earlier = list(runs[1 : 1 + given.get("batches", 0)])
        if not runs:
            facts.append(Fact(check, note="run_metrics has no run of the table yet"))
        elif name == "cdc_lag_to_be_at_most":
            facts.append(_lag(check, runs[0], given["minutes"], now))
        elif len(earlier) < FEWEST_BATCHES:
            note = f"{len(earlier)} earlier batches are too few to compare with: {FEWEST_BATCHES} are needed"
            facts.append(Fact(check, note=note))
        elif name == "cdc_changes_to_be_usual":
            usual, times = median(run.changes for run in earlier), given["times"]
            facts.append(Fact(check, "changes", (runs[0].changes,), usual / times, usual * times))
        else:
            facts.append(_share_of_deletes(check, runs[0], earlier, given["more"]))
    return facts


def _share_of_deletes(check: Check, newest: Run, earlier: Sequence[Run], more: float) -> Fact:
    counted = [run.share_of_deletes for run in earlier if run.share_of_deletes is not None]
    if newest.share_of_deletes is None:
        return Fact(check, note=f"the rows of the newest run are {NOT_COUNTED}")
    if len(counted) < FEWEST_BATCHES:
        note = f"the rows of {len(earlier) - len(counted)} of {len(earlier)} earlier batches are {NOT_COUNTED}"
        return Fact(check, note=f"{note}: {FEWEST_BATCHES} with counts are needed")
    return Fact(check, "share of deletes", (newest.share_of_deletes,), most=max(counted) + more)


def _lag(check: Check, run: Run, minutes: float, now: datetime) -> Fact:
    if run.newest_at is None:
        return Fact(check, note="no change of the table has a time")
    newest = run.newest_at if run.newest_at.tzinfo else run.newest_at.replace(tzinfo=timezone.utc)
    return Fact(check, "lag in minutes", (round((now - newest).total_seconds() / 60, 1),), most=minutes)


# Older snapshots ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """Of one snapshot: rows, and by column values that are not NULL, different values, and quantiles by their share."""

    rows: int
    values: dict[str, int]
    distinct: dict[str, int]
    quantiles: dict[tuple[str, float], float | None]


def judge_snapshots(spark: SparkSession, table: SilverTable, checks: Iterable[Check]) -> list[Fact]:
    """The facts of the checks that compare a table with one of its older snapshots.

    Args:
        spark: the session to read with.
        table: the table.
        checks: any checks of it; others are left out.
    """
    groups: dict[tuple[float, str], list[Check]] = {}
    for check in checks:
        given = DEFAULTS.get(check.row.expectation, {})
        if "days" in given:
            groups.setdefault((fill_arguments(check)["days"], check.row.row_condition), []).append(check)
    facts = []
    for (days, condition), group in groups.items():
        older = find_older_snapshot(spark, table, days)
        if older is None:
            facts += [Fact(check, note="the table has no older snapshot to compare with") for check in group]
        else:
            facts += _compared(spark, table, group, older, condition)
    return facts


def _compared(spark: SparkSession, table: SilverTable, group: list[Check], older: int, condition: str) -> list[Fact]:
    checks = [column_check for check in group for column_check in _by_column(check, table)]
    facts = [Fact(check, note=f"the table has no column {check.columns}") for check in checks if not _has(table, check)]
    checks = [check for check in checks if _has(table, check)]
    if not checks:
        return facts
    then, now = (_figures(spark, table, checks, condition, snapshot) for snapshot in (older, table.snapshot_id))
    if not then.rows or not now.rows:
        return facts + [Fact(check, note="the older snapshot or the new one has no such rows") for check in checks]
    sets: list[Check] = []
    for check in checks:
        column, given, name = check.columns, fill_arguments(check), check.row.expectation
        if name == "cdc_null_rate_to_stay":
            rates = [1 - figures.values[column] / figures.rows for figures in (then, now)]
            facts.append(Fact(check, f"null rate of {column}", (rates[1],), most=rates[0] + given["more"]))
        elif name == "cdc_distinct_count_to_stay":
            before, times = then.distinct[column], given["times"]
            title = f"distinct count of {column}"
            facts.append(Fact(check, title, (now.distinct[column],), before / times, before * times))
        elif name == "cdc_quantiles_to_stay":
            facts += _quantiles(check, column, given, then, now)
        elif 0 < then.distinct[column] <= given["most"]:
            sets.append(check)
        elif ALL not in _named(group, check):
            note = (
                f"{column} has about {then.distinct[column]} values; with argument most {given['most']} it is left out"
            )
            facts.append(Fact(check, note=note))
    return facts + _known(spark, table, sets, older, condition)


def _named(group: list[Check], named: Check) -> list[str]:
    return [check.columns for check in group if check.row.line == named.row.line]


def _by_column(check: Check, table: SilverTable) -> list[Check]:
    """The check of each column that it fits, if it names all."""
    if check.row.columns != (ALL,):
        return [check]
    names = [name for name in table.types if not name.startswith(RESERVED_PREFIX) and name not in table.key]
    if check.row.expectation == "cdc_quantiles_to_stay":
        names = [name for name in names if table.types[name] in _NUMBERS]
    if check.row.expectation == "cdc_values_to_be_known":
        names = [name for name in names if table.types[name] not in _TIMES]
    return [check.of(name) for name in names]


def _has(table: SilverTable, check: Check) -> bool:
    return check.columns in table.types


def _figures(spark: SparkSession, table: SilverTable, checks: list[Check], condition: str, snapshot: int) -> Figures:
    """All figures of a snapshot by one scan of the columns that are asked for."""
    wanted = list(dict.fromkeys(check.columns for check in checks))
    names = {column: quoted(alias(column, table.types)) for column in wanted}
    shares: dict[str, list[float]] = {}
    counted = []
    for check in checks:
        if check.row.expectation == "cdc_quantiles_to_stay":
            shares.setdefault(check.columns, []).extend(fill_arguments(check)["quantiles"])
        elif check.row.expectation != "cdc_null_rate_to_stay":
            counted.append(check.columns)
    counted = list(dict.fromkeys(counted))
    numbers = {column: list(dict.fromkeys(quantiles)) for column, quantiles in shares.items()}
    parts = ["count(*)"]
    parts += [f"count({names[column]})" for column in wanted]
    parts += [f"approx_count_distinct({names[column]})" for column in counted]
    parts += [
        f"percentile_approx(cast({names[column]} as double), array({', '.join(f'{share}D' for share in quantiles)}))"
        for column, quantiles in numbers.items()
    ]
    frame = table.frame(spark, wanted, condition, snapshot_id=snapshot)
    row = iter(frame.selectExpr(*parts).collect()[0])
    return Figures(
        rows=next(row),
        values={column: next(row) for column in wanted},
        distinct={column: next(row) for column in counted},
        quantiles={
            (column, share): value
            for column, quantiles in numbers.items()
            for share, value in zip(quantiles, next(row) or [None] * len(quantiles), strict=True)
        },
    )


def _quantiles(check: Check, column: str, given: dict[str, Any], then: Figures, now: Figures) -> list[Fact]:
    facts = []
    for share in given["quantiles"]:
        before, after = then.quantiles[column, share], now.quantiles[column, share]
        if before is not None and after is not None and before != 0:
            width = abs(before) * given["share"]
            facts.append(Fact(check, f"quantile {share} of {column}", (after,), before - width, before + width))
    return facts or [Fact(check, note=f"{column} has no values, or all quantiles are 0")]


def _known(spark: SparkSession, table: SilverTable, checks: list[Check], older: int, condition: str) -> list[Fact]:
    """Values now and then, of columns that have few of them."""
    if not checks:
        return []
    columns = list(dict.fromkeys(check.columns for check in checks))
    parts = [f"sort_array(collect_set(cast({quoted(alias(name, table.types))} as string)))" for name in columns]
    then, now = (
        table.frame(spark, columns, condition, snapshot_id=snapshot).selectExpr(*parts).collect()[0]
        for snapshot in (older, table.snapshot_id)
    )
    at = {column: number for number, column in enumerate(columns)}
    return [
        Fact(
            check, f"values of {check.columns}", tuple(now[at[check.columns]]), accepted=tuple(then[at[check.columns]])
        )
        for check in checks
    ]
