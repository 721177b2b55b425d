"""The delta of bronze that silver has not applied: where it begins, its facts, and where it leaves silver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from python_udfs.connectors.topic_offsets import share_partition
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.sequence import cut_part
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse

# Types of a key whose range can be written, so that files without any of it are left out.
_RANGE_TYPES = ("tinyint", "smallint", "int", "bigint", "decimal", "date")
_WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
_METRIC_COLUMNS = (
    "_cdc_sequence",
    "_cdc_batch_id",
    "_cdc_committed_at",
    "_cdc_operation",
    "_cdc_source_file",
    "_cdc_quarantine_rule",
)
# Sorts behind each sequence.
_LAST = "~"


@dataclass(frozen=True)
class RangeFacts:
    """Facts about rows of bronze; those of a column are None if there is no row.

    Attributes:
        changes: number of rows.
        first_sequence, last_sequence: of all rows.
        last_batch_id: the newest batch; 0 if there is no row.
        last_committed_at: the newest time at the source, as text in UTC.
        updates_and_deletes: number of rows that are one.
        first_truncate: the first sequence of a truncate or a complete reload.
        first_reset_point, last_reset_point: of those, where they end what was before.
        has_deletes: whether a row is one.
        has_overwritten: whether a row is the marker of an overwritten file.
        has_partial: whether an update lacks values.
        has_key_changes: whether an update changes the key.
        first_key, last_key: range of the key, as text, if a key was named.
        first_file, last_file: range of the files that the rows are of.
    """

    changes: int
    first_sequence: str | None = None
    last_sequence: str | None = None
    last_batch_id: int = 0
    last_committed_at: str | None = None
    updates_and_deletes: int = 0
    first_truncate: str | None = None
    first_reset_point: str | None = None
    last_reset_point: str | None = None
    has_deletes: bool = False
    has_overwritten: bool = False
    has_partial: bool = False
    has_key_changes: bool = False
    first_key: str | None = None
    last_key: str | None = None
    first_file: str | None = None
    last_file: str | None = None

    def has_late(self, applied_sequence: str) -> bool:
        """Returns whether a change is late: it is not newer than the last one that was applied."""
        return self.first_sequence is not None and self.first_sequence <= applied_sequence


@dataclass(frozen=True)
class KeyRange:
    """The range of a key whose type allows to write it; first and last are None if no row has a key."""

    type: str
    first: str | None
    last: str | None


@dataclass(frozen=True)
class Start:
    """Where a delta begins.

    Attributes:
        snapshot_id: of bronze, applied last; None: it is gone, or none was applied.
        batch_id: applied last.
        sequence: the greatest that was applied; empty: none.
        reset_point: the last that was applied.
        committed_at: the newest time that was applied.
        has_overwritten: whether rows of overwritten files are left out of the log, as a marker of one was applied.
        replaces_all: whether the delta is the whole log.
        is_first: whether silver has no progress.
        rows: of the table.
    """

    snapshot_id: int | None = None
    batch_id: int = 0
    sequence: str = ""
    reset_point: str = ""
    committed_at: str = ""
    has_overwritten: bool = False
    replaces_all: bool = False
    is_first: bool = True
    rows: int = 0


@dataclass(frozen=True)
class _Delta:
    """Rows of bronze after a start: their query, their facts, and whether the way ``replace`` may write them."""

    start: Start
    rows_sql: str
    facts: RangeFacts
    key_range: KeyRange | None
    may_replace: bool


@dataclass(frozen=True)
class Changes:
    """The delta of bronze that a run applies to silver.

    Attributes:
        sql: the query of its rows.
        log_sql: the query of all rows up to it.
        from_snapshot_id: of bronze, after which it begins; None: at a batch, or at the first row.
        to_snapshot_id: of bronze, with which it ends.
        changes: number of its rows.
        has_overwritten: whether rows of overwritten files are left out.
        replaces_all: whether it is the whole log, as nothing records what overwritten rows had replaced.
        applied_sequence: the greatest that silver has applied; empty: none.
        first_sequence: of its rows; behind the applied one if it has none.
        first_position: the source position of that one.
        has_late: whether a row sorts before one that was applied.
        has_late_truncate: whether that is a truncate or a complete reload.
        has_partial: whether an update lacks values, in the log if a row is late.
        has_key_changes: whether an update changes the key.
        has_deletes: whether a key loses its row.
        has_one_order: whether something orders all rows of one source position.
        has_applied_positions: whether a row may be of a source position that was applied.
        has_single_changes: whether a first batch has one change of every key.
        reset_points: all that are known, in order.
        reset_point: the last one; empty: there is none.
        has_new_reset_point: whether silver has not applied it.
        after_batch_id: applied last.
        last_batch_id, last_sequence, last_committed_at: silver's, once it is applied.
        not_applied: updates and deletes that a table without a key leaves out.
        may_replace: whether the table takes batches by the way ``replace``.
        replaces: whether this one is.
        key_range: of the key; None: it cannot be written.
    """

    sql: str
    log_sql: str
    from_snapshot_id: int | None
    to_snapshot_id: int
    changes: int
    has_overwritten: bool
    replaces_all: bool
    applied_sequence: str
    first_sequence: str
    first_position: str
    has_late: bool
    has_late_truncate: bool
    has_partial: bool
    has_key_changes: bool
    has_deletes: bool
    has_one_order: bool
    has_applied_positions: bool
    reset_points: tuple[str, ...]
    reset_point: str
    has_new_reset_point: bool
    after_batch_id: int
    last_batch_id: int
    last_sequence: str
    last_committed_at: str
    not_applied: int
    may_replace: bool
    key_range: KeyRange | None
    has_single_changes: bool = False
    replaces: bool = False


@dataclass(frozen=True)
class Log:
    """The bronze table of one table, and who answers questions about it.

    Attributes:
        warehouse: answers them.
        sql: macros by name; they write the texts of queries.
        cdc: of the table of silver.
        bronze: the relation.
        to_snapshot_id: the last snapshot to read.
    """

    warehouse: Warehouse
    sql: Sql
    cdc: TableConfig
    bronze: Any
    to_snapshot_id: int

    def write_rows_sql(self, start: Start, leaves_out: bool) -> str:
        """Writes the query of the rows after a start; `leaves_out`: without rows of overwritten files."""
        arguments = (self.bronze, start.snapshot_id, self.to_snapshot_id, start.batch_id, leaves_out)
        rows_sql: str = self.sql["cdc_bronze_range_sql"](*arguments)
        return rows_sql

    def read_facts(
        self, from_snapshot_id: int | None, rows_sql: str, key: str | None = None, is_part: bool = True
    ) -> RangeFacts:
        """Reads the facts of rows.

        Of the rows between two snapshots, or of all up to one, Iceberg's manifests hold them, if each commit records
        that its rows are plain changes and none is in quarantine. Else Spark reads the rows.

        Args:
            from_snapshot_id: after which the rows begin; None: with the first.
            rows_sql: the query of the rows.
            key: a key column whose range is asked for.
            is_part: whether they are all rows after the snapshot.
        """
        # A data test asks what the silver model has asked.
        facts: RangeFacts = self.warehouse.ask_once(
            ("range", rows_sql), lambda: self._read_facts(from_snapshot_id, rows_sql, key, is_part)
        )
        return facts

    def _read_facts(self, from_snapshot_id: int | None, rows_sql: str, key: str | None, is_part: bool) -> RangeFacts:
        names = [*_METRIC_COLUMNS, *([key] if key else [])]
        if is_part and self.to_snapshot_id and not self.cdc.renamed_columns:
            added = self.warehouse.added_metrics(self.bronze, from_snapshot_id, self.to_snapshot_id, names)
            if added and _are_plain_changes(added, self.cdc.mode):
                return _read_metrics(added, key)
        row = self.warehouse.query(self.sql["cdc_range_facts_sql"](rows_sql, key))[0]
        numbers = {name: int(row.get(name) or 0) for name in ("changes", "updates_and_deletes", "last_batch_id")}
        return RangeFacts(**{**row, **numbers})


def read_start(warehouse: Warehouse, bronze: Relation, progress: Mapping[str, str]) -> Start:
    """Reads where the delta begins from silver's progress.

    It begins at the snapshot that was applied last; if that one is gone (expired, rolled back), at the batch that was
    applied last.
    """
    snapshot_id = progress.get("cdc.bronze-snapshot-id")
    is_there = snapshot_id is not None and warehouse.is_current_ancestor(bronze, snapshot_id)
    return Start(
        snapshot_id=int(snapshot_id) if snapshot_id is not None and is_there else None,
        batch_id=int(progress.get("cdc.batch-id", 0)),
        sequence=progress.get("cdc.sequence", ""),
        reset_point=progress.get("cdc.reset-point", ""),
        committed_at=progress.get("cdc.committed-at", ""),
        has_overwritten="cdc.overwritten" in progress,
        is_first=not progress,
        rows=int(progress.get("total-records", 0)),
    )


def measure_changes(
    log: Log, progress: Mapping[str, str], columns: Sequence[Column], many_rows: int, may_replace: bool
) -> Changes:
    """Measures the delta of bronze that silver has not applied.

    Late changes need the facts of the whole log, too. A marker of an overwritten file removes rows, and nothing records
    what they had replaced: then the whole log is the delta.

    Args:
        log: bronze.
        progress: silver's.
        columns: silver's.
        many_rows: from which a table takes batches by the way ``replace``, and a first batch is worth to be asked
            whether it has one change of every key.
        may_replace: whether the table's settings allow that way.
    """
    may_replace = may_replace and log.cdc.mode == "current" and log.cdc.unchanged_rows != "skip"
    start = read_start(log.warehouse, log.bronze, progress)
    delta = _read_delta(log, start, columns, may_replace and start.rows >= many_rows)
    if not delta.facts.has_overwritten:
        return _describe(log, delta, columns, many_rows)
    whole_start = Start(has_overwritten=True, replaces_all=True)
    whole = _read_delta(log, whole_start, columns, may_replace and whole_start.rows >= many_rows)
    last_batch_id = max(start.batch_id, delta.facts.last_batch_id)
    changes = _describe(log, whole, columns, many_rows)
    return replace(changes, after_batch_id=start.batch_id, last_batch_id=last_batch_id)


def _read_delta(log: Log, start: Start, columns: Sequence[Column], may_replace: bool) -> _Delta:
    key_type = find_range_type(log.cdc, columns) if may_replace or start.is_first else None
    key = log.cdc.primary_key[0] if key_type else None
    rows_sql = log.write_rows_sql(start, start.replaces_all)
    keyed_sql = rows_sql
    if key and log.cdc.renamed_columns:
        keyed_sql = log.sql["cdc_renamed_columns_sql"](log.cdc, columns, rows_sql)
    is_part = start.snapshot_id is not None or (start.batch_id == 0 and not start.replaces_all)
    facts = log.read_facts(start.snapshot_id, keyed_sql, key, is_part)
    key_range = KeyRange(key_type, facts.first_key, facts.last_key) if key_type else None
    return _Delta(start, rows_sql, facts, key_range, may_replace)


def _describe(log: Log, delta: _Delta, columns: Sequence[Column], many_rows: int) -> Changes:
    start, rows_sql, facts = delta.start, delta.rows_sql, delta.facts
    cdc = log.cdc
    leaves_out = start.has_overwritten
    log_rows_sql = log.write_rows_sql(Start(), leaves_out)
    first_sequence = facts.first_sequence or f"{start.sequence}{_LAST}"
    first_position = cut_part(first_sequence, "source_position")
    has_late = facts.has_late(start.sequence)
    of_log = log.read_facts(None, log_rows_sql) if has_late else facts
    reset_points = _find_reset_points(log, start, of_log, log_rows_sql if has_late else rows_sql)
    reset_point = reset_points[-1] if reset_points else ""
    changes = Changes(
        sql=log.sql["cdc_log_sql"](cdc, columns, rows_sql, facts.has_key_changes),
        log_sql=log.sql["cdc_log_sql"](cdc, columns, log_rows_sql, of_log.has_key_changes),
        from_snapshot_id=start.snapshot_id,
        to_snapshot_id=log.to_snapshot_id,
        changes=facts.changes,
        has_overwritten=leaves_out,
        replaces_all=start.replaces_all,
        applied_sequence=start.sequence,
        first_sequence=first_sequence,
        first_position=first_position,
        has_late=has_late,
        has_late_truncate=(facts.first_truncate or _LAST) <= start.sequence,
        has_partial=of_log.has_partial,
        has_key_changes=facts.has_key_changes,
        has_deletes=facts.has_deletes or facts.has_key_changes,
        has_one_order=_has_one_order(facts),
        has_applied_positions=first_position <= cut_part(start.sequence, "source_position"),
        reset_points=reset_points,
        reset_point=reset_point,
        has_new_reset_point=reset_point > start.reset_point,
        after_batch_id=start.batch_id,
        last_batch_id=max(start.batch_id, facts.last_batch_id),
        last_sequence=max(start.sequence, facts.last_sequence or ""),
        last_committed_at=max(start.committed_at, facts.last_committed_at or ""),
        not_applied=facts.updates_and_deletes if cdc.mode == "append" else 0,
        may_replace=delta.may_replace,
        key_range=delta.key_range,
    )
    is_worth_it = start.is_first and cdc.mode == "current" and changes.changes >= many_rows
    return replace(changes, has_single_changes=is_worth_it and _has_single_changes(log, changes))


def _find_reset_points(log: Log, start: Start, facts: RangeFacts, rows_sql: str) -> tuple[str, ...]:
    points = {start.reset_point, facts.first_reset_point or ""}
    if facts.first_reset_point != facts.last_reset_point:
        rows = log.warehouse.query(log.sql["cdc_reset_points_sql"](rows_sql))
        points = {start.reset_point, *(row["reset_point"] for row in rows)}
    return tuple(sorted(point for point in points if point))


def _are_plain_changes(added: Mapping[str, Any], mode: str) -> bool:
    """A table without a key takes inserts alone; how many rows are something else only they themselves show."""
    if any(summary.get("cdc.plain-changes") != "true" for summary in added["summaries"]):
        return False
    operation, expected = added["_cdc_operation"], {"I", "L"} | ({"D", "U"} if mode != "append" else set())
    has_quarantine = added["_cdc_quarantine_rule"]["nulls"] != added["records"]
    return added["records"] > 0 and not has_quarantine and {operation["lower"], operation["upper"]} <= expected


def _read_metrics(added: Mapping[str, Any], key: str | None) -> RangeFacts:
    return RangeFacts(
        changes=added["records"],
        first_sequence=added["_cdc_sequence"]["lower"],
        last_sequence=added["_cdc_sequence"]["upper"],
        last_batch_id=int(added["_cdc_batch_id"]["upper"]),
        last_committed_at=added["_cdc_committed_at"]["upper"],
        has_deletes=added["_cdc_operation"]["lower"] == "D",
        first_key=added[key]["lower"] if key else None,
        last_key=added[key]["upper"] if key else None,
        first_file=added["_cdc_source_file"]["lower"],
        last_file=added["_cdc_source_file"]["upper"],
    )


def _has_one_order(facts: RangeFacts) -> bool:
    """Whether something orders all rows of one source position: they are of one file, or messages of one partition."""
    if facts.first_file is None or facts.last_file is None or facts.first_file == facts.last_file:
        return facts.first_file == facts.last_file
    return share_partition(facts.first_file, facts.last_file)


def find_range_type(cdc: TableConfig, columns: Sequence[Column]) -> str | None:
    """Returns the type of a key whose range can be written, so that files without any of it are left out; else None."""
    if len(cdc.primary_key) != 1 or cdc.key_comparison:
        return None
    key = cdc.primary_key[0].lower()
    types = (column.type for column in columns if column.name.lower() == key)
    return next(filter(has_ranges, types), None)


def has_ranges(type_: str) -> bool:
    """Returns whether a range of values of a type can be written."""
    return type_.split("(", maxsplit=1)[0] in _RANGE_TYPES


def _has_single_changes(log: Log, changes: Changes) -> bool:
    """Whether a first, large batch has one change of every key, as the load of a table has.

    Then nothing is grouped, and the table keeps the order of its files. To ask reads no more than the keys.
    """
    if _has_dense_keys(changes):
        sql = log.sql["cdc_single_numbers_sql"](log.cdc.primary_key[0], changes)
    else:
        sql = log.sql["cdc_single_changes_sql"](log.cdc, changes)
    return bool(log.warehouse.query(sql)[0]["has_single_changes"])


def _has_dense_keys(changes: Changes) -> bool:
    """Whether one in eight numbers of the key's range, or more, may be a key."""
    keys = changes.key_range
    if keys is None or keys.first is None or keys.last is None or keys.type not in _WHOLE_NUMBERS:
        return False
    return int(keys.last) - int(keys.first) < 8 * changes.changes
