"""Expressions of silver's rows: the lists that the macros of `macros/silver` write into their queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from python_udfs.metadata.names import RESERVED_PREFIX
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.delta import Changes
from python_udfs.pipeline.keys import is_key, list_key_columns, read_old_key, write_key_value
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import WritesNames

# Columns that every table of silver takes from bronze: the change that a row is of.
CHANGE_COLUMNS = ("_cdc_operation", "_cdc_committed_at", "_cdc_sequence", "_cdc_generation", "_cdc_batch_id")
HISTORY_COLUMNS = ("_cdc_valid_from", "_cdc_valid_to", *CHANGE_COLUMNS)


@dataclass(frozen=True)
class LogRows:
    """How rows of bronze are read as the changes that silver applies.

    Attributes:
        columns: select list of the columns that silver has.
        operation, unavailable: expressions of the operation, and of the columns that a change does not carry.
        source_position: of the row, if it is the key.
        splits_keys: whether a change of a key is two changes, the delete of the old key and the change itself.
        is_same_key: for these, the condition that the old key is the new one.
        operations: condition on the operation.
        has_renames: whether columns of bronze have old names.
    """

    columns: tuple[str, ...]
    operation: str
    unavailable: str
    source_position: tuple[str, ...]
    splits_keys: bool
    is_same_key: str
    operations: str
    has_renames: bool


@dataclass(frozen=True)
class CurrentRows:
    """How the newest changes of keys become rows of a current table.

    Attributes:
        columns: select list without `CHANGE_COLUMNS`.
        conditions: that a change has to meet to be a row.
        carries_forward: whether values that a change does not carry come from the changes before it.
        keeps_deleted: whether deleted rows stay, marked, with their last image.
    """

    columns: tuple[str, ...]
    conditions: tuple[str, ...]
    carries_forward: bool
    keeps_deleted: bool


@dataclass(frozen=True)
class CarriedColumns:
    """Lists of `cdc_carried_forward_sql`.

    Attributes:
        keys: names of key columns.
        values: of the others, struct of the value that a change carries; null: it carries none.
        names: of the others.
        literals: the same names, as text.
        reset_points: as text.
    """

    keys: tuple[str, ...]
    values: tuple[str, ...]
    names: tuple[str, ...]
    literals: tuple[str, ...]
    reset_points: tuple[str, ...]


@dataclass(frozen=True)
class MergeClauses:
    """The clauses of a merge into a current table.

    Attributes:
        is_newer: guard of the matched clauses.
        deletes: whether a delete removes the row.
        keeps_deleted: whether it marks the row.
        marks: assignments of a change without an image, which marks a row.
        values: assignments of any other change.
        same: conditions under which a change changes nothing but the source position; empty: it is written anyway.
    """

    is_newer: str
    deletes: bool
    keeps_deleted: bool
    marks: tuple[str, ...]
    values: tuple[str, ...]
    same: tuple[str, ...]


@dataclass(frozen=True)
class HistoryRows:
    """How changes become versions.

    Attributes:
        continues: whether the newest version of a key in silver comes before its changes.
        has_ends: whether reset points end versions.
        carries_forward: whether values that a change does not carry come from the changes before it.
        replays: whether versions that silver has are compared with the derived ones.
        names: of all columns.
        image: names of the source's columns.
        delivered, stored, ended: select lists of the source's columns for an event: a change, a version of silver, an
            end by a reset point.
        carried: select list of the source's columns with values that are carried forward.
        is_version: condition that an event begins or ends a version.
        same_version: conditions under which a derived version is that of silver.
    """

    continues: bool
    has_ends: bool
    carries_forward: bool
    replays: bool
    names: tuple[str, ...]
    image: tuple[str, ...]
    delivered: tuple[str, ...]
    stored: tuple[str, ...]
    ended: tuple[str, ...]
    carried: tuple[str, ...]
    is_version: str
    same_version: tuple[str, ...]


def plan_log(warehouse: WritesNames, cdc: TableConfig, columns: Iterable[Column], has_key_changes: bool) -> LogRows:
    """Plans how a part of bronze is read; only columns that bronze has are.

    Args:
        warehouse: writes names.
        cdc: of the table of silver. Without a key it takes inserts alone.
        columns: of silver.
        has_key_changes: whether the part may have changes of a key.
    """
    is_append = cdc.mode == "append"
    splits = has_key_changes and not is_append
    select_list, same = [], []
    for column in columns:
        name = warehouse.quote(column.name)
        if column.raw_type is None:
            continue
        if not splits:
            select_list.append(name)
        elif is_key(cdc, column.name):
            text = f"_cdc_old_key[{warehouse.string_literal(column.name)}]"
            old = f"cast({read_old_key(text, column.raw_type)} as {column.raw_type})"
            select_list.append(f"if(_cdc_is_old_key, {old}, {name}) as {name}")
            comparison = cdc.key_comparison
            same.append(f"{write_key_value(old, comparison)} <=> {write_key_value(name, comparison)}")
        else:
            select_list.append(f"if(_cdc_is_old_key, null, {name}) as {name}")
    operation, unavailable = "_cdc_operation", "_cdc_unavailable_columns"
    return LogRows(
        columns=tuple(select_list),
        operation=f"if(_cdc_is_old_key, 'D', {operation}) as {operation}" if splits else operation,
        unavailable=f"if(_cdc_is_old_key, null, {unavailable}) as {unavailable}" if splits else unavailable,
        source_position=tuple(list_key_columns(cdc)) if is_append else (),
        splits_keys=splits,
        is_same_key=" and ".join(same) or "true",
        operations="in ('I', 'L')" if is_append else "not in ('T', 'R')",
        has_renames=bool(cdc.renamed_columns),
    )


def plan_current(
    warehouse: WritesNames, cdc: TableConfig, changes: Changes, columns: Iterable[Column], is_first: bool
) -> CurrentRows:
    """Plans the rows of a current table, or of one without a key.

    Args:
        warehouse: writes names.
        cdc: of the table.
        changes: that are applied.
        columns: of silver.
        is_first: whether the rows are all of the table.
    """
    is_marked, carries = cdc.is_soft, carries_forward(cdc, changes)
    select_list = [_write_current(warehouse, cdc, column) for column in columns]
    reset_point = warehouse.string_literal(changes.reset_point)
    if is_marked:
        is_old = f" or change._cdc_sequence < {reset_point}" if changes.reset_point else ""
        select_list.append(f"change._cdc_operation = 'D'{is_old} as _cdc_is_deleted")
    if is_marked and not is_first and not changes.replaces:
        select_list.append("image is not null as _cdc_has_image")
    if carries and not is_first:
        select_list += ["image._cdc_unavailable_columns", "image._cdc_epoch"]
    if cdc.mode == "append":
        select_list += [f"change.{name}" for name in list_key_columns(cdc)]
    conditions = []
    if changes.reset_point and not is_marked:
        conditions.append(f"change._cdc_sequence >= {reset_point}")
    if (is_first or changes.replaces) and not is_marked:
        conditions.append("change._cdc_operation <> 'D'")
    return CurrentRows(tuple(select_list), tuple(conditions), carries, is_marked)


def carries_forward(cdc: TableConfig, changes: Changes) -> bool:
    """Returns whether a row of a current table may get values from a change before its newest one."""
    return changes.has_partial and cdc.mode == "current"


def plan_carried(
    warehouse: WritesNames, cdc: TableConfig, changes: Changes, columns: Iterable[Column]
) -> CarriedColumns:
    """Plans the columns whose values are carried forward; arguments as for `plan_current`."""
    present = [column.name for column in columns if column.raw_type is not None]
    others = [name for name in present if not is_key(cdc, name)]
    return CarriedColumns(
        keys=tuple(warehouse.quote(name) for name in present if name not in others),
        values=tuple(
            f"if(_cdc_operation <> 'D' and {_write_carries(warehouse, name)},"
            f" struct({warehouse.quote(name)} as value), null)"
            for name in others
        ),
        names=tuple(map(warehouse.quote, others)),
        literals=tuple(map(warehouse.string_literal, others)),
        reset_points=tuple(map(warehouse.string_literal, changes.reset_points)),
    )


def plan_merge(warehouse: WritesNames, cdc: TableConfig, changes: Changes, columns: Sequence[str]) -> MergeClauses:
    """Plans the clauses of a merge.

    An equal sequence is the same change again; a late change may have given it another last image, or the values that
    it did not carry.

    Args:
        warehouse: writes names.
        cdc: of the table.
        changes: that are applied.
        columns: names of the table's columns.
    """
    is_marked, carries = cdc.is_soft, carries_forward(cdc, changes)
    values = {name: _write_merged(warehouse, name, carries, is_marked) for name in columns}
    own = [name for name in columns if name.startswith(RESERVED_PREFIX)]
    compared = ["_cdc_generation", *(["_cdc_is_deleted"] if is_marked else [])]
    same = [f"target.{name} <=> source.{name}" for name in compared]
    same += [f"target.{warehouse.quote(name)} <=> {values[name]}" for name in columns if name not in own]
    if changes.reset_point:
        # Its row of before the reset point has ended; a later change would take no value from it.
        same.append(f"target._cdc_sequence >= {warehouse.string_literal(changes.reset_point)}")
    return MergeClauses(
        is_newer=f"source._cdc_sequence {'>=' if is_marked or carries else '>'} target._cdc_sequence",
        deletes=not is_marked and cdc.mode != "append",
        keeps_deleted=is_marked,
        marks=tuple(f"{warehouse.quote(name)} = {values[name]}" for name in own),
        values=tuple(f"{warehouse.quote(name)} = {value}" for name, value in values.items()),
        # Rows of another generation differ: the source position shows whether a reload still holds them.
        same=tuple(same) if cdc.unchanged_rows == "skip" else (),
    )


def plan_history(
    warehouse: WritesNames,
    cdc: TableConfig,
    has_silver: bool,
    changes: Changes,
    columns: Sequence[Column],
    derives_all: bool,
) -> HistoryRows:
    """Plans the versions to write.

    A key without a late change continues from its newest version; one with a late change is derived from the whole log,
    as is every key if a reset point is new, and other versions of it in silver are deleted.

    Args:
        warehouse: writes names.
        cdc: of the table.
        has_silver: whether the table exists.
        changes: that are applied.
        columns: of silver.
        derives_all: whether all versions are derived from the whole log.
    """
    replays = has_silver and (derives_all or changes.has_late)
    image = tuple(warehouse.quote(column.name) for column in columns)
    names = (*image, *HISTORY_COLUMNS)
    nulls = {column.name: f"cast(null as {column.type})" for column in columns}
    return HistoryRows(
        continues=has_silver and not derives_all,
        has_ends=bool(changes.reset_point) and (derives_all or changes.has_late),
        carries_forward=changes.has_partial or replays,
        replays=replays,
        names=names,
        image=image,
        delivered=tuple(
            f"{warehouse.quote(column.name) if column.raw_type is not None else nulls[column.name]}"
            f" as {warehouse.quote(column.name)}"
            for column in columns
        ),
        stored=tuple(f"version.{name} as {name}" for name in image),
        ended=tuple(
            f"{warehouse.quote(column.name) if is_key(cdc, column.name) else nulls[column.name]}"
            f" as {warehouse.quote(column.name)}"
            for column in columns
        ),
        carried=tuple(_write_carried(warehouse, cdc, column.name) for column in columns),
        is_version=(
            "_cdc_is_image or _cdc_image_before is not null"
            if cdc.unchanged_rows == "write"
            else "not _cdc_image <=> _cdc_image_before"
        ),
        same_version=tuple(f"versions.{name} <=> replayed.{name}" for name in names),
    )


def list_empty_columns(warehouse: WritesNames, cdc: TableConfig, columns: Iterable[Column]) -> list[str]:
    """Writes the select list of a table of silver that no row has come to, without `CHANGE_COLUMNS`."""
    select_list = [f"cast(null as {column.type}) as {warehouse.quote(column.name)}" for column in columns]
    select_list += ["false as _cdc_is_deleted"] if cdc.is_soft else []
    if cdc.mode == "history":
        select_list += ["_cdc_committed_at as _cdc_valid_from", "_cdc_committed_at as _cdc_valid_to"]
    return select_list + (list_key_columns(cdc) if cdc.mode == "append" else [])


def _write_current(warehouse: WritesNames, cdc: TableConfig, column: Column) -> str:
    """Of a key that is known by its delete alone, a table with marked rows has the key."""
    name = warehouse.quote(column.name)
    value = f"image.{name}"
    if column.raw_type is None:
        value = f"cast(null as {column.type})"
    elif cdc.is_soft and is_key(cdc, column.name):
        value = f"if(image is null, change.{name}, image.{name})"
    return f"{value} as {name}"


def _write_carries(warehouse: WritesNames, name: str) -> str:
    """Whether a change carries a value of a column."""
    return f"array_contains(_cdc_unavailable_columns, {warehouse.string_literal(name)}) is not true"


def _write_carried(warehouse: WritesNames, cdc: TableConfig, name: str) -> str:
    column = warehouse.quote(name)
    if is_key(cdc, name):
        return column
    value = f"if(_cdc_is_image and {_write_carries(warehouse, name)}, struct({column} as value), null)"
    return f"(last_value({value}) ignore nulls over life).value as {column}"


def _write_merged(warehouse: WritesNames, name: str, carries: bool, is_marked: bool) -> str:
    """What a matched row gets: the change's value, or its own if the change carries none and the row was alive."""
    column = warehouse.quote(name)
    if not carries or name.startswith(RESERVED_PREFIX):
        return f"source.{column}"
    is_alive = " and not target._cdc_is_deleted" if is_marked else ""
    return (
        f"if(array_contains(source._cdc_unavailable_columns, {warehouse.string_literal(name)}) is true"
        f" and target._cdc_sequence >= source._cdc_epoch{is_alive}, target.{column}, source.{column})"
    )
