"""What a run writes to a table of silver, in which way, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, Literal

from python_udfs.errors import LakehouseError
from python_udfs.metadata.readers import MERGE_ON_READ
from python_udfs.metadata.tables import WRITE_MODE_PROPERTIES
from python_udfs.pipeline.columns import (
    Column,
    find_renames,
    has_other_types,
    list_names_in_files,
    plan_silver_columns,
    rename_all,
)
from python_udfs.pipeline.delta import Changes, Log, measure_changes
from python_udfs.pipeline.files import find_listed_table
from python_udfs.pipeline.keys import MOST_KEYS
from python_udfs.pipeline.sequence import cut_part, write_part_sql
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, TableColumn, Warehouse, WritesNames

# Of a table whose summary has no count of rows: it is not taken for a small one.
_ROWS_IF_UNKNOWN = 1_000_000
# Generations from the second on: nothing is there that the first could end.
_SECOND_GENERATION = "000002"


@dataclass(frozen=True)
class Settings:
    """What dbt and the project set for a model; an operation has no model, and none of these.

    Attributes:
        partition_by: as Spark writes it.
        write_modes: properties of the table that say how its rows are deleted.
        many_rows: from which a table takes batches by the way ``replace``.
    """

    partition_by: tuple[str, ...] = ()
    write_modes: Mapping[str, str] = field(default_factory=dict)
    many_rows: int = 0

    @property
    def deletes_beside_rows(self) -> bool:
        """Whether a delete leaves data files as they are."""
        return self.write_modes.get("write.delete.mode") == MERGE_ON_READ


Way = Literal["nothing", "create", "overwrite", "versions", "replace", "append", "merge"]


@dataclass(frozen=True)
class SilverPlan:
    """What a run does to a table of silver.

    Attributes:
        way: ``overwrite`` writes all rows, ``versions`` those of mode history, ``replace`` those of the batch's keys.
        message: way and reasons, for dbt's log.
        silver: the table that it writes to; None: it creates one.
        renames: new names of the table's columns, by old name.
        properties: that the table gets, because its model has others than when it was created.
        columns: of the source, as the table will have them.
        changes: that it applies; None: nothing.
        derives_all: mode history: whether all versions are derived from the whole log.
        progress: properties of its commit.
        is_small: whether tasks cost more than rows.
        notice: a sentence for the user; empty: there is none.
    """

    way: Way
    message: str
    silver: Relation | None = None
    renames: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    changes: Changes | None = None
    derives_all: bool = False
    progress: Mapping[str, Any] = field(default_factory=dict)
    is_small: bool = False
    notice: str = ""


def make_plan(
    warehouse: Warehouse,
    sql: Sql,
    cdc: TableConfig,
    config: Any,
    model: str,
    this: Relation,
    bronze: Relation,
    silver: Relation | None,
    started_at: datetime,
    is_empty: bool,
    many_rows: int,
) -> SilverPlan:
    """Decides what a run writes to silver: what bronze got since the snapshot that silver's newest snapshot names.

    Args:
        warehouse: answers questions.
        sql: macros by name; they write the texts of queries.
        cdc: of the table.
        config: dbt's configuration of the model.
        model: its name.
        this: the table's name.
        bronze: its log.
        silver: the table; None: it does not exist.
        started_at: when the run began.
        is_empty: whether rows are left out (``--empty``): the table is as before the first batch.
        many_rows: as in `Settings`.

    Raises:
        LakehouseError: there is no bronze table, it lacks a key column, a renamed column cannot be one, or the table is
            of another mode.
    """
    if warehouse.get_relation(None, str(bronze.schema), str(bronze.identifier)) is None:
        raise LakehouseError(
            f"CDC error in {this} (cdc_merge): its bronze table {bronze} does not exist yet. Silver is built from"
            f" bronze: run `dbt build`, or `dbt run --select +{model}`."
        )
    settings = _read_settings(config, many_rows)
    to_snapshot_id = 0 if is_empty else warehouse.current_snapshot_id(bronze)
    progress = read_progress(warehouse, silver)
    if silver is not None and progress.get("cdc.bronze-snapshot-id") == str(to_snapshot_id):
        return SilverPlan("nothing", f"nothing: bronze is still at snapshot {to_snapshot_id}")
    if _has_placeholders(progress):
        # Created again, with the types that have arrived.
        silver, progress = None, {}
    notice = "" if silver is None or progress else _say_that_progress_is_gone(silver, bronze)
    log = Log(warehouse, sql, cdc, bronze, to_snapshot_id)
    renames, columns = _plan_columns(log, settings, this, silver)
    has_types_of_bronze = silver is not None and has_other_types(columns, warehouse)
    if has_types_of_bronze:
        # change_types was killed between bronze and silver: silver is made again of all of bronze, by one commit.
        renames, columns = {}, _plan_columns_again(log, settings, this, silver)
        silver, progress = None, {}
    changes = measure_changes(log, progress, columns, settings.many_rows, settings.deletes_beside_rows)
    way = choose_way(cdc, silver is not None, changes)
    # All rows are written as to a table that is not there.
    versions = None if way == "overwrite" else silver
    derives_all = cdc.mode == "history" and derives_all_versions(log, versions, changes)
    properties = {} if silver is None else _find_other_properties(warehouse, silver, settings)
    return SilverPlan(
        way=way,
        message=f"{way}: {', '.join(_list_reasons(changes, has_types_of_bronze))}",
        silver=silver,
        renames=renames,
        properties=properties,
        columns=columns,
        changes=replace(changes, replaces=way == "replace"),
        derives_all=derives_all,
        progress=_plan_progress(log, changes, columns, started_at)
        | _mark_uncounted(warehouse, way)
        | _mark_whole_log(silver, way, derives_all),
        is_small=_is_small(warehouse, silver, changes, progress),
        notice=notice or _say_that_write_modes_change(silver, properties),
    )


def plan_rebuild(
    warehouse: Warehouse,
    sql: Sql,
    cdc: TableConfig,
    this: Relation,
    bronze: Relation,
    many_rows: int,
) -> SilverPlan:
    """Decides what silver is, made from all of bronze; as `make_plan`."""
    log = Log(warehouse, sql, cdc, bronze, warehouse.current_snapshot_id(bronze))
    settings = Settings(many_rows=many_rows)
    silver = warehouse.get_relation(None, str(this.schema), str(this.identifier))
    columns = _plan_columns_again(log, settings, this, silver)
    changes = measure_changes(log, {}, columns, settings.many_rows, settings.deletes_beside_rows)
    return SilverPlan(
        way="create",
        message=f"create: changes={changes.changes}",
        columns=columns,
        changes=changes,
        derives_all=True,
        progress=_plan_progress(log, changes, columns),
    )


def is_of_other_types(warehouse: Warehouse, cdc: TableConfig, bronze: Relation, silver: Relation) -> bool:
    """Returns whether silver has to be made again, because bronze was rewritten with other types."""
    log = Log(warehouse, {}, cdc, bronze, 0)
    return has_other_types(_plan_columns(log, Settings(), silver, silver)[1], warehouse)


def choose_way(cdc: TableConfig, is_there: bool, changes: Changes) -> Way:
    """Chooses how a batch is written; as `SilverPlan.way`.

    Args:
        cdc: of the table.
        is_there: whether the table exists.
        changes: that it applies.
    """
    if not is_there:
        return "create"
    if changes.replaces_all:
        # Files were overwritten: bronze has no record of what their rows had replaced.
        return "overwrite"
    if cdc.mode == "history":
        return "versions"
    if _batch_allows_replace(cdc, changes):
        return "replace"
    if cdc.mode == "append" and _has_only_new_files(changes):
        return "append"
    return "merge"


def read_progress(warehouse: Warehouse, relation: Relation | None) -> dict[str, str]:
    """Returns what the newest commit of a run recorded in a table.

    Only ancestors of the current snapshot count: a rollback of the table rolls its progress back with it.
    """
    summary = {} if relation is None else warehouse.newest_summary(relation, "cdc.batch-id")
    return {name: value for name, value in summary.items() if name.startswith("cdc.") or name == "total-records"}


def find_order_marks(summary: Mapping[str, str], mode: str) -> dict[str, str]:
    """Returns what bronze's commit says of the order of its messages.

    Before any change a second snapshot brings rows that are there already; they are other rows only if a table has no
    key.
    """
    second = summary.get("cdc.second-snapshot")
    is_second = second == "after changes" or (second and mode == "append")
    marks = {"cdc.second-snapshot": is_second, "cdc.log-began-again": "cdc.log-began-again" in summary}
    return {name: "true" for name, is_marked in marks.items() if is_marked}


def _read_settings(config: Any, many_rows: int) -> Settings:
    properties = config.get("tblproperties") or {}
    return Settings(
        partition_by=tuple(config.get("partition_by") or ()),
        write_modes={name: properties[name] for name in WRITE_MODE_PROPERTIES if name in properties},
        many_rows=many_rows,
    )


def _find_other_properties(warehouse: Warehouse, silver: Relation, settings: Settings) -> dict[str, str]:
    """Returns the write modes that a table has otherwise: its row in the seeds, or who reads it, has changed."""
    if not settings.write_modes:
        return {}
    current = warehouse.read_table_properties(silver, list(settings.write_modes))
    return {name: mode for name, mode in settings.write_modes.items() if current.get(name) != mode}


def _say_that_write_modes_change(silver: Relation | None, properties: Mapping[str, str]) -> str:
    if silver is None or not properties or MERGE_ON_READ in properties.values():
        return ""
    return (
        f"{silver} is written {properties[min(properties)]} from now on. Delete files of earlier batches stay until"
        f" dbt run-operation rebuild_silver --args '{{table: {silver.identifier}}}'."
    )


def _plan_columns(
    log: Log, settings: Settings, this: Relation, silver: Relation | None
) -> tuple[dict[str, str], tuple[Column, ...]]:
    in_bronze = log.warehouse.get_columns_in_relation(log.bronze)
    in_silver = log.warehouse.get_columns_in_relation(silver) if silver is not None else ()
    renames = find_renames(log.cdc, in_silver, {column.name.lower() for column in in_bronze})
    columns = plan_silver_columns(
        log.cdc, log.bronze, in_bronze, this, rename_all(in_silver, renames), settings.partition_by, log.warehouse
    )
    return renames, columns


def _has_placeholders(progress: Mapping[str, str]) -> bool:
    """Whether a table has been created before any row came: it has no column of the source but key and partitions."""
    return bool(progress) and not progress.get("cdc.sequence")


def _plan_columns_again(log: Log, settings: Settings, this: Relation, silver: Relation | None) -> tuple[Column, ...]:
    """Returns the columns of a table that is made again of all of bronze: bronze's, or those that a frozen one has."""
    _, columns = _plan_columns(log, settings, this, None)
    if log.cdc.schema_drift != "freeze" or silver is None or _has_placeholders(read_progress(log.warehouse, silver)):
        return columns
    kept = {column.name.lower() for column in log.warehouse.get_columns_in_relation(silver)}
    kept.update(name.lower() for name in log.cdc.primary_key)
    return tuple(column for column in columns if kept.intersection(list_names_in_files(log.cdc, column.name)))


def _batch_allows_replace(cdc: TableConfig, changes: Changes) -> bool:
    """Whether every change is newer than every row, and brings the whole row of its own key alone."""
    has_odd_changes = changes.has_late or changes.has_partial or changes.has_new_reset_point or changes.has_key_changes
    return (
        changes.may_replace
        and 0 < changes.changes <= MOST_KEYS
        and not has_odd_changes
        and not (cdc.is_soft and changes.has_deletes)
    )


def _has_only_new_files(changes: Changes) -> bool:
    """Whether all rows sort after what was applied, in other files.

    Not across generations: a reload overwrites the files of the load before it.
    """
    applied = changes.applied_sequence
    return (
        applied != ""
        and not changes.has_new_reset_point
        and cut_part(changes.first_sequence, "through_file") > cut_part(applied, "through_file")
        and cut_part(changes.last_sequence, "generation") == cut_part(applied, "generation")
    )


def derives_all_versions(log: Log, silver: Relation | None, changes: Changes) -> bool:
    """Returns whether all versions are derived from the whole log.

    Else new changes continue from the newest versions of their keys. A new reset point, or one that moves in time, may
    end the version of any key.
    """
    if silver is not None:
        check_versions(silver, log.warehouse.get_columns_in_relation(silver))
    return (
        silver is None
        or not changes.applied_sequence
        or changes.has_new_reset_point
        or changes.has_late_truncate
        or (changes.last_sequence >= _SECOND_GENERATION and _moves_reset_point(log, changes))
    )


def _moves_reset_point(log: Log, changes: Changes) -> bool:
    """Whether the changes move a reset point that is there already.

    A complete load generation ends versions at the first commit time of its load (of all its rows, if the load has
    none), so a late row of it may come with an earlier one. Whether an older generation was complete is unknown here:
    then it counts as one.
    """
    for start in log.warehouse.query(log.sql["cdc_generation_starts_sql"](changes.sql)):
        if start["generation"] > changes.reset_point:
            continue
        if start["generation"] < cut_part(changes.applied_sequence, "generation"):
            return True
        log_sql = log.sql["cdc_bronze_range_sql"](log.bronze, None, changes.to_snapshot_id, 0, changes.has_overwritten)
        if not log.warehouse.query(log.sql["cdc_earlier_start_sql"](log_sql, start)):
            return True
    return False


def check_versions(silver: Relation, columns: Sequence[TableColumn]) -> None:
    """Raises a LakehouseError if a table was built in another mode than history."""
    names = [column.name for column in columns]
    if "_cdc_valid_from" not in names or "_cdc_valid_to" not in names:
        raise LakehouseError(
            f"CDC error in {silver} (cdc_merge): mode is history, but the table has no columns _cdc_valid_from and"
            f" _cdc_valid_to: it was built in another mode. It has {', '.join(names)}. Rebuild it (docs/runbook.md), or"
            " set the mode back in seeds/cdc_tables.csv and run make models."
        )


def _list_reasons(changes: Changes, has_types_of_bronze: bool) -> list[str]:
    reasons = {
        f"changes={changes.changes}": True,
        "types of bronze": has_types_of_bronze,
        "overwritten files": changes.replaces_all,
        "late": changes.has_late,
        "truncate or complete reload": changes.has_new_reset_point,
    }
    return [reason for reason, holds in reasons.items() if holds]


def _is_small(warehouse: Warehouse, silver: Relation | None, changes: Changes, progress: Mapping[str, str]) -> bool:
    rows = 0 if silver is None else int(progress.get("total-records", _ROWS_IF_UNKNOWN))
    return warehouse.is_small(changes.changes, rows) and not (changes.has_late or changes.replaces_all)


def _plan_progress(
    log: Log, changes: Changes, columns: Sequence[Column], started_at: datetime | None = None
) -> dict[str, Any]:
    """What the commit of a run records: how far silver is, and numbers of the run.

    Numbers that need a query on the data are computed only if the metadata or the listing shows that there is something
    to count.
    """
    progress: dict[str, Any] = {
        "cdc.bronze-snapshot-id": changes.to_snapshot_id,
        "cdc.batch-id": changes.last_batch_id,
        "cdc.sequence": changes.last_sequence,
        "cdc.reset-point": changes.reset_point,
        "cdc.committed-at": changes.last_committed_at,
        "cdc.changes": changes.changes,
        "cdc.not-applied": changes.not_applied,
    }
    if changes.has_overwritten:
        progress["cdc.overwritten"] = "true"
    if changes.changes:
        progress["cdc.ties"] = count_ties(log, changes, columns)
        if log.cdc.unchanged_rows == "skip" and log.cdc.mode == "current":
            progress["cdc.keys"] = log.warehouse.query(log.sql["cdc_count_keys_sql"](log.cdc, changes))[0]["keys"]
    return {**progress, **(_count_run(log, changes, started_at) if started_at else {})}


def _mark_whole_log(silver: Relation | None, way: Way, derives_all: bool) -> dict[str, str]:
    """What the commit records if it derives all rows of a table that is there: a row of any key may have changed."""
    is_derived = silver is not None and (way == "overwrite" or derives_all)
    return {"cdc.whole-log": "true"} if is_derived else {}


def _mark_uncounted(warehouse: Warehouse, way: Way) -> dict[str, str]:
    """What the commit of a MERGE records on a Spark that does not count its rows: nobody can tell them afterwards."""
    is_uncounted = way in ("merge", "versions") and not warehouse.counts_merged_rows()
    return {"cdc.rows-not-counted": "true"} if is_uncounted else {}


def count_ties(log: Log, changes: Changes, columns: Sequence[Column]) -> int:
    """Counts the ties that a run resolves by a hash.

    They are looked for only if keys have more than one change, and the changes are of more than one file (messages: of
    more than one partition of a topic) or of a source position that has been applied. Of files the listing has to show
    two of one source position; of messages nothing does, and the log is read from the first position of the batch.

    Args:
        log: bronze.
        changes: that the run applies.
        columns: of silver.
    """
    has_order = changes.has_one_order and not changes.has_applied_positions
    if log.cdc.mode == "append" or changes.has_single_changes or has_order:
        return 0
    bronze = log.sql["cdc_node_of"]("bronze", log.cdc)
    has_messages = bool(bronze) and bronze.cdc.format == "json"
    positions = () if has_messages else _find_shared_positions(log, changes)
    if not positions and not has_messages:
        return 0
    tied_sql = _write_tied(log.warehouse, changes.first_position, positions)
    log_sql = changes.sql if has_messages and not changes.has_applied_positions else changes.log_sql
    ties_sql = log.sql["cdc_ties_sql"](log.cdc, log_sql, tied_sql, columns, changes.after_batch_id)
    return int(log.warehouse.query(ties_sql)[0]["ties"])


def _write_tied(warehouse: WritesNames, first_position: str, positions: Sequence[str]) -> str:
    """Writes the condition that rows may share their source position with others: these positions, or all from one on.

    The bound lets Iceberg skip the files of earlier positions.
    """
    if not positions:
        return f"_cdc_sequence >= {warehouse.string_literal(first_position)}"
    literals = ", ".join(map(warehouse.string_literal, positions))
    return f"{write_part_sql('_cdc_sequence', 'listed_position')} in ({literals})"


def _find_shared_positions(log: Log, changes: Changes) -> tuple[str, ...]:
    listing = log.sql["cdc_relation_of"]("raw_listing")
    listed = find_listed_table(log.warehouse, log.sql, listing, log.cdc, changes.after_batch_id)
    if listed.shared_batch_id <= changes.after_batch_id:
        return ()
    batches = (changes.after_batch_id, changes.last_batch_id)
    rows = log.warehouse.query(log.sql["cdc_shared_positions_sql"](log.cdc, listing, *batches))
    return tuple(row["file_position"] for row in rows)


def _count_run(log: Log, changes: Changes, started_at: datetime) -> dict[str, Any]:
    """Numbers from the snapshots of bronze that the run applies: no row is read.

    Quarantined rows are those that bronze got and silver did not; unknown if the range does not begin at a snapshot, or
    the whole log is applied again. Bronze is only added to.
    """
    rows, seconds, is_known = 0, 0.0, not changes.replaces_all
    numbers: dict[str, Any] = {}
    snapshots = log.warehouse.snapshots_since(log.bronze, changes.from_snapshot_id)["snapshots"]
    if snapshots and not changes.from_snapshot_id and snapshots[0]["rows"] != snapshots[0]["net_rows"]:
        # Snapshots before it have expired.
        is_known = False
    for snapshot in snapshots:
        rows += snapshot["net_rows"]
        numbers.update(find_order_marks(snapshot["summary"], log.cdc.mode))
        began = snapshot["summary"].get("cdc.started-at")
        if began:
            ended = datetime.fromisoformat(snapshot["committed_at"]).replace(tzinfo=timezone.utc)
            seconds += (ended - datetime.fromisoformat(began)).total_seconds()
        if snapshot["snapshot_id"] == changes.to_snapshot_id:
            break
    numbers.update({"cdc.started-at": started_at, "cdc.bronze-seconds": f"{seconds:.3f}"})
    begins_at_snapshot = changes.from_snapshot_id or not changes.after_batch_id
    if is_known and rows >= changes.changes and begins_at_snapshot:
        numbers["cdc.quarantined"] = rows - changes.changes
    return numbers


def _say_that_progress_is_gone(silver: Relation, bronze: Relation) -> str:
    return (
        f"{silver}: no snapshot is left that records how far it is: another program has expired them. It takes all of"
        f" {bronze} once more; rows that are there stay as they are."
    )
