"""What a run does to a bronze table: the plan of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from python_udfs.connectors.source_log import judge_batch
from python_udfs.pipeline.columns import Column, ColumnChanges, plan_changes, warn_of_types
from python_udfs.pipeline.csv_layout import lay_out_csv
from python_udfs.pipeline.files import (
    BronzeTable,
    NewFiles,
    Rejection,
    Run,
    describe_rejection,
    find_new_files,
)
from python_udfs.pipeline.progress import read_last_batch_id
from python_udfs.pipeline.reading import (
    Reading,
    Target,
    plan_batch_columns,
    read_new_files,
    read_target,
    warn_of_names,
)
from python_udfs.pipeline.reloads import Reload, add_repeated_loads, assign_generations
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse


@dataclass(frozen=True)
class BatchRows(Reading):
    """The readable files and messages of a batch, and what else makes its rows.

    Attributes:
        bronze: the table; None before its first batch.
        drift_sql: the condition on which a file drifts from the columns of the table; None: nothing is asked.
        loads_after: rows of snapshots behind this position are ordered by their own one; None: all precede the changes.
        has_short_records: whether a CSV record lacks optional columns.
        has_truncate: whether the table was emptied at the source.
        overwritten: paths of change files of which a version of another size was listed before.
        reloads: that have ended.
    """

    bronze: Relation | None = None
    drift_sql: str | None = None
    loads_after: str | None = None
    has_short_records: bool = False
    has_truncate: bool = False
    overwritten: tuple[str, ...] = ()
    reloads: tuple[Reload, ...] = ()


Way = Literal["create", "append", "nothing", "reread"]


@dataclass(frozen=True)
class BronzePlan:
    """What a run does to a bronze table, in this order.

    Attributes:
        way: `create`, `append` or `nothing`; `reread`: rejected_files has lost rows of the table, whose files are
            listed again first, and the plan is made again.
        after_batch_id: the last batch that the table has.
        message: way and reasons, for dbt's log.
        warnings: for dbt's log.
        verified: `full` if every file was decoded, else `schema`: the write may fail because of a file.
        rejections: files that are left out.
        statements: that reject files. They are run before the batch is written: after a crash between the two
            commits a file is still rejected, and the other way round it would be lost.
        column_changes: of the table, before the batch is written.
        counts_rejections: whether the batch records how many rows rejected_files has of the table, with these.
        columns: the plan of the columns.
        properties: that the commit of the batch records; None: it has none of that name.
        files_sql: a query of the files of the batch.
        rows: of the batch.
        last_batch_id: the progress that the batch records.
    """

    way: Way
    after_batch_id: int
    message: str = ""
    warnings: tuple[str, ...] = ()
    verified: str = "full"
    rejections: tuple[Rejection, ...] = ()
    statements: tuple[str, ...] = ()
    column_changes: ColumnChanges = field(default_factory=ColumnChanges)
    counts_rejections: bool = False
    columns: tuple[Column, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    files_sql: str = ""
    rows: BatchRows = field(default_factory=BatchRows)
    last_batch_id: int = 0


def plan_batch(
    warehouse: Warehouse,
    sql: Sql,
    owner: Any,
    table: BronzeTable,
    run: Run,
    existing: Relation | None,
    started_at: Any,
    verify: str = "schema",
    is_reread: bool = False,
) -> BronzePlan:
    """Plans the batch of a bronze table. Nothing is written.

    Progress is one number: every file of a batch up to it is in the table or in rejected_files.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        owner: the table, for people.
        table: the table.
        run: the dbt command.
        existing: the bronze table; None before its first batch.
        started_at: when the node began.
        verify: `full` if a write of the batch has failed because of a file: all of them are decoded first.
        is_reread: whether files that rejected_files has lost were listed again.
    """
    cdc = table.cdc
    after = read_last_batch_id(warehouse, existing)
    recorded, rejected_count = _count_rejected(warehouse, sql, table, existing)
    if recorded and not is_reread and rejected_count < recorded:
        return BronzePlan("reread", after)
    files = find_new_files(warehouse, sql, table, run, after, verify)
    if files.is_reloaded:
        files = add_repeated_loads(warehouse, sql, table, files, after)
    has_files = bool(files.paths or files.has_multi_table)
    target = (
        read_target(warehouse, cdc, existing, after) if has_files or files.has_truncate else Target(existing, after)
    )
    reading = read_new_files(warehouse, sql, table, files, target, verify)
    unreadable = [Rejection(file["path"], "unreadable", file["reason"]) for file in reading.rejected]
    warnings = [describe_rejection(str(owner), file.path, file.reason) for file in unreadable]
    plan = BronzePlan(
        way="append" if existing is not None else "create",
        after_batch_id=after,
        warnings=(*warnings, *warn_of_names(owner, cdc, reading)),
        verified=reading.verified,
        rejections=(*files.rejections, *unreadable),
        last_batch_id=files.last_batch_id,
    )
    candidates_sql = f"{files.sql}\nwhere not is_again" if files.is_reloaded else files.sql
    if existing is not None and reading.view is None and not files.has_truncate:
        message = f"nothing: no new file in the landing area since batch {after}"
        statements = _reject(sql, table, candidates_sql, plan.rejections)
        return replace(plan, way="nothing", message=message, statements=statements, verified="full")

    columns = plan_batch_columns(warehouse, cdc, reading, target)
    rows = _start_rows(reading, existing)
    plan = replace(plan, warnings=(*plan.warnings, *warn_of_types(owner, cdc, columns)))
    if cdc.schema_drift == "quarantine":
        rows = replace(rows, drift_sql=sql["cdc_schema_drift_sql"](cdc, reading, target.columns, existing))
    if files.is_reloaded:
        generations = assign_generations(warehouse, sql, owner, table, files, plan.rejections, target, rows, columns)
        files = generations.files
        rows = replace(rows, reloads=generations.reloads)
        plan = replace(
            plan,
            rejections=(*plan.rejections, *generations.rejections),
            warnings=(*plan.warnings, *generations.warnings),
        )
    log = _judge_source_log(warehouse, sql, existing, files.source_logs)
    renames = {old: new for new, old in target.old_names.items()}
    unread_paths = {file.path for file in unreadable}
    rows = replace(
        rows,
        loads_after=log["loads_after"],
        has_short_records=_has_short_records(warehouse, sql, cdc, files, reading, columns),
        has_truncate=files.has_truncate,
        overwritten=tuple(path for path in files.overwritten if path not in unread_paths),
    )
    return replace(
        plan,
        message=f"{plan.way}: {', '.join(_list_reasons(files))}",
        # A first try that failed may have rejected files.
        counts_rejections=bool(plan.rejections) or verify == "full",
        statements=_reject(sql, table, candidates_sql, plan.rejections),
        column_changes=plan_changes(columns, renames) if existing is not None else ColumnChanges(),
        columns=columns,
        properties={
            "cdc.batch-id": files.last_batch_id,
            "cdc.started-at": started_at,
            "cdc.plain-changes": "true" if has_plain_changes(cdc, files, rows) else None,
            "cdc.rejected": rejected_count or None,
            "cdc.source-log": log["state"],
            "cdc.second-snapshot": log["second_snapshot"],
            "cdc.log-began-again": log["began_again"],
            "cdc.line-breaks": "true" if reading.has_line_breaks else None,
        },
        files_sql=files.sql,
        rows=rows,
    )


def complete_rows(reading: Reading, bronze: Relation | None, drift_sql: str | None = None) -> BatchRows:
    """Returns the rows of files that a command reads and writes nowhere; a record may lack optional columns.

    Args:
        reading: of the files.
        bronze: the table.
        drift_sql: as in `BatchRows`.
    """
    return replace(_start_rows(reading, bronze), drift_sql=drift_sql, has_short_records=True)


def has_plain_changes(cdc: TableConfig, files: NewFiles, rows: BatchRows) -> bool:
    """Returns whether each row of a batch is a change that carries all values under the key that the row has now.

    None is a marker. Silver then need not read the rows to find out.

    Args:
        cdc: the description of the table.
        files: of the batch.
        rows: of the batch.
    """
    options = cdc.options
    has_markers = rows.has_truncate or rows.overwritten or rows.reloads
    has_other_rows = options.before_image_prefix or options.unavailable_value
    are_plain = files.are_plain if cdc.format == "json" else not has_other_rows
    return bool(are_plain and not has_markers and options.absent_columns != "keep")


def _reject(sql: Sql, table: BronzeTable, files_sql: str, rejections: Sequence[Rejection]) -> tuple[str, ...]:
    """The statement that leaves files of a batch out."""
    if not rejections:
        return ()
    return (f"insert into {table.rejected}\n{sql['cdc_rejections_sql'](table.cdc, files_sql, rejections)}",)


def _start_rows(reading: Reading, bronze: Relation | None) -> BatchRows:
    return BatchRows(**vars(reading), bronze=bronze)


def _count_rejected(warehouse: Warehouse, sql: Sql, table: BronzeTable, existing: Relation | None) -> tuple[int, int]:
    """The rejected files that bronze has recorded, and those that are there now; 0: it has recorded none.

    If there are fewer, rejected_files was dropped or rolled back. A load file that only came again would then count as
    a reload, which empties the table.
    """
    if existing is None or table.is_kafka:
        return 0, 0
    recorded = int(warehouse.newest_summary(existing, "cdc.batch-id").get("cdc.rejected") or 0)
    if not recorded:
        return 0, 0
    return recorded, int(warehouse.query(sql["cdc_rejected_count_sql"](table.cdc, table.rejected))[0]["row_count"])


def _judge_source_log(
    warehouse: Warehouse, sql: Sql, existing: Relation | None, batches: Sequence[str | None]
) -> Mapping[str, str | None]:
    """The order of the messages that a run brings.

    The summary of bronze's last commit with messages records the order of those before. A table without such a summary
    is read once.
    """
    before = None
    if existing is not None and any(text not in (None, "{}") for text in batches):
        before = warehouse.newest_summary(existing, "cdc.source-log").get("cdc.source-log")
        before = before or warehouse.query(sql["cdc_source_log_of_bronze_sql"](existing))[0]["source_log"]
    return judge_batch(before, batches)


def _has_short_records(
    warehouse: Warehouse, sql: Sql, cdc: TableConfig, files: NewFiles, reading: Reading, columns: Sequence[Column]
) -> bool:
    if cdc.format != "csv" or reading.view is None:
        return False
    layout = lay_out_csv(cdc, columns, warehouse)
    if not layout.optional:
        return False
    return bool(warehouse.query(sql["cdc_csv_short_records_sql"](layout, files.sql, reading.view)))


def _list_reasons(files: NewFiles) -> list[str]:
    reasons = [f"files={len(files.paths)}"]
    if files.has_multi_table:
        reasons.append("multi-table files")
    if files.has_truncate:
        reasons.append("truncate")
    return reasons
