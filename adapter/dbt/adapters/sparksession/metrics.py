"""Metrics of data files, which Iceberg keeps in a table's manifests: what a query would read all rows for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.sparksession import snapshots
from dbt.adapters.sparksession.times import date_text, timestamp_text
from spark_files.internals import iceberg_table, java_class

# Each bound of each file is a call of Java (0.3 ms); a query of that many files costs less than it reads.
MOST_FILES = 32
# Iceberg cuts the bounds of texts here, unless a table's properties say otherwise.
_CUT_AT = 16


def added_metrics(
    session: SparkSession, table: str, from_snapshot_id: int | None, to_snapshot_id: int, columns: list[str]
) -> dict[str, Any] | None:
    """Returns the facts of the rows that were appended after one snapshot, up to another, without reading them.

    Args:
        session: session to ask with.
        table: name of an Iceberg table.
        from_snapshot_id: an ancestor of the other snapshot; rows that it has are left out. None: all rows of the table.
        to_snapshot_id: the last snapshot.
        columns: names as the table spells them.

    Returns:
        `summaries` (those of the snapshots that appended rows), `records` (number of rows), and by column `values` and
        `nulls` (their number; nulls are values), `lower` and `upper` (least and greatest value as Spark casts it to
        text, timestamps in UTC; None if all are null). None if there are more than `MOST_FILES` files, a file lacks
        metrics of a column (Iceberg has none of arrays and maps), or bounds were cut short. Of all rows also None if
        the snapshots that are left did not append exactly these.
    """
    iceberg = iceberg_table(session, table)
    fields = {name: iceberg.schema().asStruct().field(name) for name in columns}
    if None in fields.values():
        return None
    if from_snapshot_id is None:
        scan = iceberg.newScan().useSnapshot(to_snapshot_id)
    else:
        scan = iceberg.newIncrementalAppendScan().fromSnapshotExclusive(from_snapshot_id).toSnapshot(to_snapshot_id)
    with closing(scan.includeColumnStats().planFiles()) as planned:
        files = list(_up_to(MOST_FILES + 1, planned.iterator()))
    if len(files) > MOST_FILES:
        return None
    summaries = snapshots.append_summaries(iceberg, from_snapshot_id, to_snapshot_id)
    records = sum(file.recordCount() for file in files)
    if from_snapshot_id is None:
        appended = sum(int(summary.get("added-records", 0)) for summary in summaries)
        deletes = iceberg.snapshot(to_snapshot_id).summary().get("total-delete-files")
        if appended != records or deletes != "0" or any("deleted-records" in summary for summary in summaries):
            return None
    modes = iceberg.properties().toString()
    widths = {_CUT_AT, *map(int, re.findall(r"truncate\((\d+)\)", modes))}
    metrics: dict[str, Any] = {"summaries": summaries, "records": records}
    for name, field in fields.items():
        metrics[name] = _collect_column(files, field, widths)
        if metrics[name] is None:
            return None
    return metrics


def value_range(table: Any, column: str, above: int, values: dict[str, str]) -> dict[str, int | None] | None:
    """The range of a column in the files that may hold certain rows, by the manifests of a table.

    Args:
        table: Iceberg's table.
        column: name of a column of whole numbers.
        above: of rows with greater numbers alone.
        values: texts by column: of rows with exactly these. Columns that partition the table leave out most files.

    Returns:
        None if no file holds such a row. Else `lower` and `upper`: the numbers of these rows are between them. Both
        are None if there are more than `MOST_FILES` files, or one lacks metrics of the column.
    """
    expressions = java_class("org.apache.iceberg.expressions.Expressions")
    wanted = expressions.greaterThan(column, above)
    for name, value in values.items():
        wanted = getattr(expressions, "and")(wanted, expressions.equal(name, value))
    with closing(table.newScan().filter(wanted).includeColumnStats().planFiles()) as planned:
        files = list(_up_to(MOST_FILES + 1, planned.iterator()))
    if not files:
        return None
    bounds = (
        _collect_column(files, table.schema().asStruct().field(column), set()) if len(files) <= MOST_FILES else None
    )
    if not bounds or bounds["lower"] is None:
        return {"lower": None, "upper": None}
    return {"lower": max(int(bounds["lower"]), above + 1), "upper": int(bounds["upper"])}


def may_have_values(session: SparkSession, table: str, column: str) -> bool:
    """Whether a table may have rows with a value in a column, by its manifests, in one call of Java.

    Args:
        session: session to ask with.
        table: name of an Iceberg table.
        column: name of the column, as the table spells it.

    Returns:
        False if all files have nulls alone. True also for a file without metrics of the column.
    """
    has_value = java_class("org.apache.iceberg.expressions.Expressions").notNull(column)
    with closing(iceberg_table(session, table).newScan().filter(has_value).planFiles()) as planned:
        return bool(planned.iterator().hasNext())


def _up_to(most: int, tasks: Any) -> Iterator[Any]:
    while most and tasks.hasNext():
        yield tasks.next().file()
        most -= 1


def _collect_column(files: list[Any], field: Any, widths: set[int]) -> dict[str, Any] | None:
    column, type_ = field.fieldId(), field.type()
    values = nulls = 0
    bounds = []
    for file in files:
        counts = _read_file(column, file.valueCounts(), file.nullValueCounts())
        if counts is None:
            return None
        values, nulls = values + counts[0], nulls + counts[1]
        if counts[0] == counts[1]:
            continue
        ends = _read_file(column, file.lowerBounds(), file.upperBounds())
        if ends is None:
            return None
        bounds += [java_class("org.apache.iceberg.types.Conversions").fromByteBuffer(type_, end) for end in ends]
    kind = str(type_.typeId().toString())
    if kind == "STRING":
        bounds = [str(bound.toString()) for bound in bounds]
        if any(len(bound) in widths for bound in bounds):
            return None
    return {
        "lower": _text(kind, min(bounds)) if bounds else None,
        "upper": _text(kind, max(bounds)) if bounds else None,
        "values": values,
        "nulls": nulls,
    }


def _read_file(column: int, *metrics: Any) -> list[Any] | None:
    """Returns the values of each map of a file's metrics for a column, None if one has nothing."""
    values = [None if of_column is None else of_column.get(column) for of_column in metrics]
    return None if None in values else values


def _text(kind: str, value: Any) -> str:
    if kind == "DATE":
        return date_text(value)
    if kind == "TIMESTAMP":
        return timestamp_text(value)
    return format(value, "f") if kind == "DECIMAL" else str(value)
