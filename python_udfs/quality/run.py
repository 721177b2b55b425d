"""One run of the checks: table after table in one Spark session, each at the snapshot that it had when opened."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from python_udfs.cli.console import say
from python_udfs.quality.checks import Outcome, describe_expected, find_passed_batch, group_checks
from python_udfs.quality.facts import Fact, judge_runs, judge_snapshots
from python_udfs.quality.gx import Judged, Wanted
from python_udfs.quality.tables import alias, open_table
from spark_files.capabilities import error_condition
from spark_files.errors import spark_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import SparkSession

    from python_udfs.quality.checks import Check
    from python_udfs.quality.facts import Run
    from python_udfs.quality.gx import GreatExpectations
    from python_udfs.quality.tables import SilverTable

# Errors of a table that is damaged or gone: its checks fail, and the next table follows.
_BROKEN = (PySparkException, Py4JError)


@dataclass(frozen=True)
class Warehouse:
    """Shared by the checks of all tables.

    Attributes:
        spark: the session to read with.
        catalog: of the silver tables.
        schema: of the silver tables.
        keys: columns of the key by table.
        passed: batch by table, see `results.read_passed_batches`.
        runs: runs by table, the newest first.
        run_at: when the run started, UTC.
    """

    spark: SparkSession
    catalog: str
    schema: str
    keys: Mapping[str, Sequence[str]]
    passed: dict[str, int]
    runs: Mapping[str, Sequence[Run]]
    run_at: datetime


def run_checks(
    warehouse: Warehouse, checks: Mapping[str, Sequence[Check]], expectations: GreatExpectations
) -> list[Outcome]:
    """Judges the checks of each table, and shows a line per table.

    Args:
        warehouse: what they share.
        checks: by table.
        expectations: judges.

    Returns:
        An outcome per check that had something to read.
    """
    outcomes = []
    for number, (name, of_table) in enumerate(checks.items(), start=1):
        started = time.monotonic()
        of_this_table = _check_table(warehouse, name, of_table, expectations)
        outcomes += of_this_table
        seconds = time.monotonic() - started
        say(f"{number:>4}/{len(checks)}  {seconds:5.1f} s  {warehouse.schema}.{name}: {_summary(of_this_table)}")
    return outcomes


def _summary(outcomes: Sequence[Outcome]) -> str:
    if not outcomes:
        return "nothing new"
    counts = {
        "met": sum(outcome.success is True for outcome in outcomes),
        "failed": sum(outcome.fails for outcome in outcomes),
        "warned": sum(outcome.success is False and not outcome.fails for outcome in outcomes),
        "not judged": sum(outcome.success is None for outcome in outcomes),
    }
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _check_table(
    warehouse: Warehouse, name: str, checks: Sequence[Check], expectations: GreatExpectations
) -> list[Outcome]:
    try:
        parts = (warehouse.catalog, warehouse.schema, name)
        table = open_table(warehouse.spark, name, parts, warehouse.keys.get(name, ()))
    except _BROKEN as error:
        return [Outcome(check, False, message=_unreadable(error)) for check in checks]
    if not table.snapshot_id:
        return [Outcome(check, None, message="the table has no rows yet") for check in checks]
    outcomes = []
    for number, suite in enumerate(group_checks(checks), start=1):
        outcomes += _check_suite(warehouse, table, suite, expectations, f"{name}.{suite[0].row.scope}.{number}")
    return outcomes + _check_facts(warehouse, table, checks, expectations)


def _check_suite(
    warehouse: Warehouse, table: SilverTable, suite: Sequence[Check], expectations: GreatExpectations, title: str
) -> list[Outcome]:
    """The checks that are about the same rows, on a frame of the columns that they need."""
    since = find_passed_batch(suite, warehouse.passed)
    if since is not None and since == table.batch_id:
        return []
    if since is not None and since > table.batch_id:
        since = None  # rolled back, or built again
    missing = {check: [column for column in check.row.columns if column not in table.types] for check in suite}
    lost = [
        _outcome(table, check, Judged(False, "", _no_column(table, names), is_broken=True))
        for check, names in missing.items()
        if names
    ]
    whole = [check for check, names in missing.items() if not names]
    columns = dict.fromkeys(column for check in whole for column in check.row.columns)
    try:
        frame = table.frame(warehouse.spark, columns, suite[0].row.row_condition, since)
        if any(check.row.columns for check in whole) and frame.isEmpty():
            # The number of rows alone can be judged: no row has no greatest value, which is no fault of the rows.
            nothing = [check for check in whole if check.row.columns]
            whole = [check for check in whole if not check.row.columns]
            lost += [_not_judged(table, check, "nothing to judge: no such row") for check in nothing]
        wanted = [_wanted(table, check) for check in whole]
        judged = expectations.judge(title, frame, wanted, about=_about(table, suite[0], since)) if wanted else []
    except _BROKEN as error:
        judged = [Judged(False, "", _reason(error), is_broken=True)] * len(whole)
    return lost + [_outcome(table, check, result) for check, result in zip(whole, judged, strict=True)]


def _about(table: SilverTable, check: Check, since: int | None) -> str:
    """Names the rows of a suite, for its page."""
    rows = "all rows" if since is None else f"rows of batches after {since}"
    where = f" for which {check.row.row_condition}" if check.row.row_condition else ""
    return f"{table.relation.replace('`', '')}, snapshot {table.snapshot_id}: {rows}{where}."


def _about_course(table: SilverTable) -> str:
    return f"{table.relation.replace('`', '')}, snapshot {table.snapshot_id}: its runs, and an older snapshot."


def _wanted(table: SilverTable, check: Check) -> Wanted:
    row, names = check.row, [alias(column, table.types) for column in check.row.columns]
    columns: dict[str, Any] = {}
    if "_pair_" in row.expectation:
        columns = dict(zip(("column_A", "column_B"), names, strict=True))
    elif len(names) > 1:
        columns = {"column_list": names}
    elif names:
        columns = {"column": names[0]}
    return Wanted(row.expectation, {**columns, **row.arguments}, row.severity, _notes(check))


def _notes(check: Check) -> str:
    condition = f"Rows for which {check.row.row_condition}. " if check.row.row_condition else ""
    return f"{condition}{check.row.description}"


def _check_facts(
    warehouse: Warehouse, table: SilverTable, checks: Sequence[Check], expectations: GreatExpectations
) -> list[Outcome]:
    """The checks about the course of the table."""
    facts = judge_runs(checks, warehouse.runs.get(table.name, ()), warehouse.run_at)
    try:
        facts += judge_snapshots(warehouse.spark, table, checks)
    except _BROKEN as error:
        done = {fact.check for fact in facts}
        broken = [check for check in checks if check.is_cdc and check not in done]
        return [_outcome(table, check, Judged(False, "", _reason(error), is_broken=True)) for check in broken]
    ready = [fact for fact in facts if not fact.note]
    longest = max((len(fact.values) for fact in ready), default=0)
    # A figure is judged in its row; NULLs below it are not.
    columns = {
        _label(fact, at): [*fact.values, *[None] * (longest - len(fact.values))] for at, fact in enumerate(ready)
    }
    frame = pd.DataFrame(columns, dtype=object)
    wanted = [_wanted_of(fact, _label(fact, at)) for at, fact in enumerate(ready)]
    judged = (
        expectations.judge(f"{table.name}.course", frame, wanted, engine="pandas", about=_about_course(table))
        if wanted
        else []
    )
    by_fact = dict(zip(map(id, ready), judged, strict=True))
    return [_outcome_of(table, fact, by_fact.get(id(fact))) for fact in facts]


def _label(fact: Fact, at: int) -> str:
    """Two facts may be called alike; each has a column of its own."""
    return f"{fact.label} ({at + 1})"


def _wanted_of(fact: Fact, label: str) -> Wanted:
    notes, severity = fact.check.row.description, fact.check.row.severity
    if fact.accepted is not None:
        arguments: dict[str, Any] = {"column": label, "value_set": list(fact.accepted)}
        return Wanted("expect_column_values_to_be_in_set", arguments, severity, notes)
    arguments = {"column": label, "min_value": fact.least, "max_value": fact.most}
    return Wanted("expect_column_values_to_be_between", arguments, severity, notes)


def _outcome(table: SilverTable, check: Check, judged: Judged) -> Outcome:
    expected = describe_expected(check.row.arguments)
    return Outcome(check, judged.success, judged.observed, expected, judged.message, table.snapshot_id, table.batch_id)


def _not_judged(table: SilverTable, check: Check, reason: str) -> Outcome:
    expected = describe_expected(check.row.arguments)
    return Outcome(check, None, "", expected, reason, table.snapshot_id, table.batch_id)


def _outcome_of(table: SilverTable, fact: Fact, judged: Judged | None) -> Outcome:
    success = judged.success if judged else None
    message = (judged.message if judged and judged.is_broken else "") if judged else fact.note
    return Outcome(fact.check, success, fact.observed, fact.expected, message, table.snapshot_id, table.batch_id)


def _no_column(table: SilverTable, names: Sequence[str]) -> str:
    columns = ", ".join(name for name in table.types if not name.startswith("_cdc_"))
    return f"the table has no column {', '.join(names)}; it has {columns}"


def _unreadable(error: Exception) -> str:
    if isinstance(error, PySparkException) and error_condition(error) == "TABLE_OR_VIEW_NOT_FOUND":
        return "the table does not exist; dbt build makes it"
    return f"the table cannot be read: {_reason(error)}"


def _reason(error: Exception) -> str:
    return " ".join(spark_message(error).split())[:500]
