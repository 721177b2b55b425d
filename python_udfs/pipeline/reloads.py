"""Reloads of a table: which load files belong to one, which were only delivered again, and which reloads have ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from python_udfs.pipeline.columns import Column, find_old_columns
from python_udfs.pipeline.files import BronzeTable, NewFiles, Rejection
from python_udfs.pipeline.reading import Reading, Target
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Sql, Warehouse

# JSON of no file.
NO_FILES = "[]"


@dataclass(frozen=True)
class Reload:
    """A reload that has ended: bronze gets a row R of it.

    Attributes:
        generation: of the load.
        is_held: whether its row R waits in bronze.
        unread: JSON of the load files that nobody could read; None: each could be read.
        reason: a sentence about these; None: each could be read.
    """

    generation: int
    is_held: bool
    unread: str | None
    reason: str | None


@dataclass(frozen=True)
class HeldReload:
    """What bronze has of a reload.

    Attributes:
        is_complete: whether a row R of it counts.
        unread: JSON of the unread files that it waits for, of those that have not come again since; None: none.
    """

    is_complete: bool = False
    unread: str | None = None


@dataclass(frozen=True)
class Versions:
    """Views over the versions of a table's files, for the from clause of a query.

    Attributes:
        listed: all that the listing shows.
        loads: those of load files that count.
    """

    listed: str
    loads: str


@dataclass(frozen=True)
class Generations:
    """The load generations of a batch.

    Attributes:
        files: of the batch; each row of its query has the generation.
        rejections: load files whose rows bronze has already.
        reloads: that have ended with the batch, or before without a row R that counts.
        warnings: for the log.
    """

    files: NewFiles
    rejections: tuple[Rejection, ...] = ()
    reloads: tuple[Reload, ...] = ()
    warnings: tuple[str, ...] = ()


def add_repeated_loads(
    warehouse: Warehouse, sql: Sql, table: BronzeTable, files: NewFiles, after_batch_id: int
) -> NewFiles:
    """Adds the load files that may belong to a reload of a batch.

    Which of them do is known once their content is compared; their order does not depend on it.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        table: the table, of which a load file came more than once.
        files: the batch.
        after_batch_id: the last batch that the table has.

    Returns:
        The batch; its query has a column is_again.
    """
    view = f"{table.name}__again"
    again = replace(files, sql=f"select *\nfrom {warehouse.quote(view)}")
    if not files.has_load:
        warehouse.cache_rows(view, f"select\n    *,\n    false as is_again\nfrom ({files.sql})")
        return again
    rejected = state_rejected(sql, table, files.sql, files.rejections)
    versions = cache_versions(warehouse, sql, table, rejected, files.last_batch_id)
    again_sql = sql["cdc_load_again_sql"](
        table.cdc, files.sql, table.listing, versions.loads, after_batch_id, files.last_batch_id
    )
    warehouse.cache_rows(view, again_sql)
    counted = cache_counted_loads(warehouse, sql, table, versions)
    placed_sql = sql["cdc_generation_files_sql"](again.sql, versions.listed, counted, after_batch_id, [])
    rows = warehouse.query(
        f"select path\nfrom ({placed_sql})\nwhere is_newest and kind in ('load', 'change')"
        f"\norder by {sql['cdc_file_order_sql']()}"
    )
    return replace(again, paths=tuple(row["path"] for row in rows))


def assign_generations(
    warehouse: Warehouse,
    sql: Sql,
    owner: Any,
    table: BronzeTable,
    files: NewFiles,
    rejections: Sequence[Rejection],
    target: Target,
    reading: Reading,
    columns: Sequence[Column],
) -> Generations:
    """Gives the files of a batch their load generations, and finds the reloads that have ended with it.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        owner: the table, for people.
        table: the table, of which a load file came more than once.
        files: the batch, as `add_repeated_loads` returns it.
        rejections: of files of the batch, so far.
        target: the bronze table.
        reading: of the batch.
        columns: the plan of its columns.
    """
    new_files_sql = f"{files.sql}\nwhere not is_again"
    rejected = state_rejected(sql, table, new_files_sql, rejections)
    versions = cache_versions(warehouse, sql, table, rejected, files.last_batch_id)
    same, redelivered = find_redelivered(warehouse, sql, table, files, versions, target, reading, columns)
    if redelivered:
        rejected = state_rejected(sql, table, new_files_sql, [*rejections, *redelivered])
        versions = cache_versions(warehouse, sql, table, rejected, files.last_batch_id)
    counted = cache_counted_loads(warehouse, sql, table, versions)
    view = f"{table.name}__placed"
    warehouse.cache_rows(
        view, sql["cdc_generation_files_sql"](files.sql, versions.listed, counted, target.after_batch_id, same)
    )
    files = replace(files, sql=f"select *\nfrom {warehouse.quote(view)}")
    held = read_held_reloads(warehouse, sql, target, versions)
    rows = warehouse.query(
        sql["cdc_reloads_sql"](table.cdc, table.listing, versions.listed, counted, files.last_batch_id)
    )
    reloads, warnings = judge_reloads(owner, rows, held)
    return Generations(files, tuple(redelivered), reloads, warnings)


def cache_versions(warehouse: Warehouse, sql: Sql, table: BronzeTable, rejected: Any, last_batch_id: int) -> Versions:
    """Registers views over the versions of a table's files; their queries run once.

    Spark plans a query again for each place that reads it, and reloads read these in many.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        table: the table.
        rejected: the rejected files, those of the batch included.
        last_batch_id: of the batch.
    """
    listed, loads = f"{table.name}__versions", f"{table.name}__loads"
    versions = Versions(warehouse.quote(listed), warehouse.quote(loads))
    listed_sql = sql["cdc_listed_versions_sql"](table.listing, rejected, table.cdc, last_batch_id, table.split)
    warehouse.cache_rows(listed, listed_sql)
    warehouse.cache_rows(loads, sql["cdc_loads_sql"](versions.listed))
    return versions


def cache_counted_loads(warehouse: Warehouse, sql: Sql, table: BronzeTable, versions: Versions) -> str:
    """Returns a view over the load versions that belong to a generation; its query runs once.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        table: the table.
        versions: of its files.
    """
    view = f"{table.name}__counted"
    warehouse.cache_rows(view, sql["cdc_counted_loads_sql"](versions.listed, versions.loads))
    return warehouse.quote(view)


def find_redelivered(
    warehouse: Warehouse,
    sql: Sql,
    table: BronzeTable,
    files: NewFiles,
    versions: Versions,
    target: Target,
    reading: Reading,
    columns: Sequence[Column],
) -> tuple[list[str], list[Rejection]]:
    """Finds the load files of a batch whose rows bronze has already.

    A load path that comes again is rare: only then contents are compared.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        table: the table.
        files: the batch, as `add_repeated_loads` returns it.
        versions: of its files.
        target: the bronze table.
        reading: of the batch.
        columns: the plan of its columns.

    Returns:
        Keys of these files, and the rejections of those that are not rejected yet.
    """
    if target.relation is None or not reading.view or not files.has_load:
        return [], []
    earlier = warehouse.query(sql["cdc_earlier_loads_sql"](table.cdc, files.sql, table.listing, versions.loads))
    if not earlier:
        return [], []
    loads_sql = f"select *\nfrom ({files.sql})\nwhere kind = 'load' and not is_again"
    # If a header names the columns, the same line may be another row.
    content_if = None if table.cdc.options.header else sql["cdc_quarantined_loads_sql"](target.relation, earlier)
    rows_sql = sql["cdc_bronze_sql"](table.cdc, loads_sql, reading, columns, content_if=content_if)
    fresh, held = write_hashed_values(table.cdc, columns, warehouse.quote, target)
    same_sql = sql["cdc_same_content_sql"](rows_sql, target.relation, fresh, held, earlier, table.cdc)
    same = [row["file_key"] for row in warehouse.query(same_sql)]
    rejections = [
        Rejection(
            file["path"],
            "redelivered",
            f"delivered again: the same rows as the version of {file['earlier']} UTC",
        )
        for file in earlier
        if file["file_key"] in same and not file["is_known"]
    ]
    return same, rejections


def write_hashed_values(
    cdc: TableConfig, columns: Sequence[Column], quote: Callable[[str], str], target: Target
) -> tuple[list[str], list[str]]:
    """Writes the values that rows are compared by; one that bronze has under old names, too, is one value.

    Args:
        cdc: of the table.
        columns: of the batch.
        quote: writes names of SQL.
        target: the bronze table, which has its names of before the batch, and lacks the columns and the types that the
            batch brings.

    Returns:
        Expressions for the rows of the batch, and for those of the table.
    """
    old = {column.name: find_old_columns(cdc, column.name, target.columns) for column in columns}
    merged = {name for names in old.values() for name in names}
    own = [column for column in columns if column.name not in merged]
    fresh = [_write_hashed(column, quote(column.name), column.type) for column in own]
    return fresh, [_write_held_value(column, old[column.name], quote, target) for column in own]


def _write_held_value(column: Column, old_columns: Sequence[str], quote: Callable[[str], str], target: Target) -> str:
    type_ = column.type if column.change is None else None
    name = "null" if column.change == "add" else quote(target.old_names.get(column.name, column.name))
    values = [_write_hashed(column, name, type_), *(_write_hashed(column, quote(other)) for other in old_columns)]
    return values[0] if len(values) == 1 else f"coalesce({', '.join(values)})"


def _write_hashed(column: Column, value: str, type_: str | None = None) -> str:
    """Writes a value in the type of its column; a map has no hash, so its text has."""
    hashed = "string" if "map<" in column.type else column.type
    return value if type_ == hashed else f"cast({value} as {hashed})"


def read_held_reloads(warehouse: Warehouse, sql: Sql, target: Target, versions: Versions) -> Mapping[int, HeldReload]:
    """Asks for the reloads that bronze has a row R of, by generation.

    The names of unread files are in that row, so that a lost table rejected_files completes no reload.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        target: the bronze table.
        versions: of its files.
    """
    held: dict[int, HeldReload] = {}
    if target.relation is None:
        return held
    for row in warehouse.query(sql["cdc_held_generations_sql"](target.relation)):
        unread = row["unread"] if not row["is_complete"] else None
        if unread:
            unread = warehouse.query(sql["cdc_still_unread_sql"](versions.listed, unread))[0]["unread"]
        held[int(row["generation"])] = HeldReload(bool(row["is_complete"]), unread if unread != NO_FILES else None)
    return held


def judge_reloads(
    owner: Any, rows: Iterable[Mapping[str, Any]], held: Mapping[int, HeldReload]
) -> tuple[tuple[Reload, ...], tuple[str, ...]]:
    """Judges the reloads of a table of which bronze has no row R that counts.

    A reload with untouched load files of an earlier load has not ended: it removes nothing, and a warning names the
    files that it waits for. One with files that nobody could read ends, and its row R waits in quarantine (record 68).

    Args:
        owner: the table, for people.
        rows: of `cdc_reloads_sql`: generation, untouched and unread of each reload, in their order.
        held: the reloads that bronze has a row R of.

    Returns:
        The reloads that have ended, and a warning if the newest one is not complete.
    """
    reloads, warnings, rows = [], [], list(rows)
    for row in rows:
        generation, is_newest = int(row["generation"]), row is rows[-1]
        state = held.get(generation, HeldReload())
        unread = row["unread"] if row["unread"] != NO_FILES else state.unread
        if state.is_complete:
            continue
        if unread or not row["untouched"]:
            reason = _describe_unread(unread) if unread else None
            reloads.append(Reload(generation, generation in held, unread, reason))
            if reason and is_newest:
                warnings.append(f"{owner}: {reason}")
        elif is_newest:
            warnings.append(
                f"{owner}: the reload is not complete: these load files are still as an earlier load wrote them:"
                f" {row['untouched']}. Keys that the reload does not hold stay until each of them is written again"
                " or removed, and another file of the table has come."
            )
    return tuple(reloads), tuple(warnings)


def state_rejected(sql: Sql, table: BronzeTable, files_sql: str, rejections: Sequence[Rejection]) -> Any:
    """Returns the rejected files for the from clause of a query, those included that the batch will reject.

    Args:
        sql: the macros that write queries, by name.
        table: the table.
        files_sql: a query of the files of the batch.
        rejections: of these.
    """
    if not rejections:
        return table.rejected
    return sql["cdc_rejected_sql"](table.cdc, table.rejected, files_sql, rejections)


def _describe_unread(unread: str) -> str:
    names = ", ".join(file["file_key"] for file in json.loads(unread))
    return (
        f"the reload is not complete: these load files of it could not be read: {names}. It removes nothing until each"
        " of them has come again, or release_reload releases it (docs/runbook.md, A reload that waits)."
    )
