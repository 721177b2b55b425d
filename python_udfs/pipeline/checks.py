"""How far a data test compares a silver table with bronze, why, and what is recorded once it has passed.

A table is compared in full at times. In between its last pass is the start: only the keys that changed since then are
compared (a step), by induction the rest is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from python_udfs.pipeline.delta import Log, RangeFacts
from python_udfs.pipeline.project import find_built
from python_udfs.pipeline.results import TEST_PASSED
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, write_name

EMPTY, NOTHING, STEP, FULL = "empty", "nothing", "step", "full"
# The data test that compares rows; the others read a table only if it is compared in full.
COMPARING_TEST = "silver_matches_bronze"
# As the one of silver, they record what they compared.
_RECORDING_TESTS = (COMPARING_TEST, "gold_matches_recomputation")
_RECORD = re.compile(r"^-- recorded once it passes: (\{.*\})$", re.MULTILINE)


@dataclass(frozen=True)
class Checked:
    """The last comparison of a silver table that passed.

    Attributes:
        snapshot_id: of silver.
        schema_id: of silver.
        bronze_snapshot_id: of bronze, up to which silver had applied it.
        batch_id: the last batch that silver had applied.
        sequence: of silver's newest change.
        is_due: whether the last full comparison is too old.
    """

    snapshot_id: int
    schema_id: int
    bronze_snapshot_id: int
    batch_id: int
    sequence: str
    is_due: bool


@dataclass(frozen=True)
class Progress:
    """How far silver has applied bronze, as silver's newest batch records it.

    Attributes:
        bronze_snapshot_id: of bronze.
        batch_id: the last batch.
        sequence: of the newest change.
        has_reset_point: whether a truncate or a complete reload was applied.
        rows: of silver.
    """

    bronze_snapshot_id: int
    batch_id: int
    sequence: str
    has_reset_point: bool
    rows: int


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of silver that changed rows since the last comparison."""

    snapshot_id: int
    committed_at: str
    operation: str
    net_rows: int
    is_foreign: bool


@dataclass(frozen=True)
class Since:
    """How silver came from the snapshot that was compared last to its newest one.

    Attributes:
        is_ancestor: whether it came from there.
        schema_id: that silver has now.
        changed: snapshots in between; compactions are none of them.
    """

    is_ancestor: bool
    schema_id: int
    changed: tuple[Snapshot, ...]

    @property
    def foreign(self) -> tuple[Snapshot, ...]:
        """Those that this project did not write."""
        return tuple(snapshot for snapshot in self.changed if snapshot.is_foreign)


@dataclass(frozen=True)
class Step:
    """The part of a table that is compared.

    Attributes:
        silver_snapshot_id: where it begins.
        after_sequence: of silver there.
        rows_sql: its changes.
        log_sql: its changes, or the whole log if some of them are late.
        has_late: whether a change is not newer than silver was.
        has_partial: whether a change does not carry all values.
        has_key_changes: whether a change gives a row another key.
        splits_keys: whether the log may have changes of a key.
        rows: of silver.
        is_small: whether one task reads all.
        continues: whether the rows that silver had are part of the answer.
        is_newest: whether each change is whole and newer than silver was: one pass compares them.
        net_rows: how many rows silver got.
    """

    silver_snapshot_id: int
    after_sequence: str
    rows_sql: str
    log_sql: str
    has_late: bool
    has_partial: bool
    has_key_changes: bool
    splits_keys: bool
    rows: int
    is_small: bool
    continues: bool
    is_newest: bool
    net_rows: int


@dataclass(frozen=True)
class Table:
    """A silver table, its description under ``meta.cdc``, and its bronze table; None: there is none."""

    silver: Relation
    bronze: Relation | None
    cdc: TableConfig

    @property
    def name(self) -> str:
        """Schema and table, as silver_checks names it."""
        return write_name(self.silver)


@dataclass(frozen=True)
class Record:
    """What is recorded of a comparison that has passed; ``is_full``: of the whole table."""

    silver_table: str
    snapshot_id: int
    schema_id: int
    bronze_snapshot_id: int
    batch_id: int
    sequence: str
    is_full: bool


@dataclass(frozen=True)
class Check:
    """How far a silver table has to be compared.

    Attributes:
        depth: `NOTHING`, `STEP`, `FULL`, or `EMPTY` before any row was applied.
        reason: why so far.
        table: that is compared.
        record: to write once the comparison has passed; None: nothing is compared.
        foreign: snapshots since the last comparison that this project did not write.
        step: of `STEP` alone.
    """

    depth: str
    reason: str
    table: Table
    record: Record | None = None
    foreign: tuple[Snapshot, ...] = ()
    step: Step | None = None

    @property
    def reads_all(self) -> bool:
        """Whether a test has to read the whole table; else `COMPARING_TEST` covers what the others state."""
        return self.depth in (FULL, EMPTY)

    @property
    def comment(self) -> str:
        """The lines of the compiled test that `read_records` reads."""
        lines = [f"-- compared: {self.depth}, {self.reason}"]
        if self.record:
            lines.append(f"-- recorded once it passes: {json.dumps(asdict(self.record))}")
        return "\n".join(lines)


def plan_check(warehouse: Warehouse, sql: Sql, table: Table, snapshot_id: int, checked: Checked | None) -> Check:
    """Decides how far a silver table is compared.

    Args:
        warehouse: is asked for silver's metadata and, if a step may do, about the rows since the last comparison.
        sql: macros by name.
        table: the table.
        snapshot_id: the newest of silver.
        checked: its last comparison; None: it was never compared.
    """
    progress = read_progress(warehouse.newest_summary(table.silver, "cdc.batch-id"))
    if progress is None:
        return Check(EMPTY, "no row was applied yet", table)
    record = Record(
        silver_table=table.name,
        snapshot_id=snapshot_id,
        schema_id=warehouse.snapshot(table.silver, snapshot_id)["schema_id"],
        bronze_snapshot_id=progress.bronze_snapshot_id,
        batch_id=progress.batch_id,
        sequence=progress.sequence,
        is_full=True,
    )
    since = read_since(warehouse.snapshots_since(table.silver, checked.snapshot_id)) if checked else None
    foreign = since.foreign if since else ()
    reason = find_reason_for_all(checked, since)
    if checked is None or since is None or reason:
        return Check(FULL, reason or "", table, record, foreign)
    if not since.changed:
        return Check(NOTHING, "no row has changed since the last comparison", table)
    has_start = warehouse.is_current_ancestor(table.bronze, checked.bronze_snapshot_id)
    start = checked.bronze_snapshot_id if has_start else None
    rows_sql = sql["cdc_bronze_range_sql"](table.bronze, start, progress.bronze_snapshot_id, checked.batch_id)
    log = Log(warehouse, sql, table.cdc, table.bronze, progress.bronze_snapshot_id)
    facts = log.read_facts(start, rows_sql, is_part=has_start)
    has_late = facts.has_late(checked.sequence)
    reason = find_reason_in_changes(table.cdc.mode, progress, facts, has_late)
    if reason:
        return Check(FULL, reason, table, record)
    whole_log = (table.bronze, None, progress.bronze_snapshot_id, 0, True)
    step = plan_step(
        checked,
        progress,
        facts,
        is_row_whole=table.cdc.mode != "history" and not table.cdc.is_soft,
        skips_unchanged=table.cdc.unchanged_rows == "skip",
        is_small=warehouse.is_small(facts.changes, progress.rows),
        rows_sql=rows_sql,
        log_sql=sql["cdc_bronze_range_sql"](*whole_log) if has_late else rows_sql,
        net_rows=sum(snapshot.net_rows for snapshot in since.changed),
    )
    reason = "late changes since the last comparison" if has_late else "changes since the last comparison"
    return Check(STEP, reason, table, replace(record, is_full=False), step=step)


def find_reason_for_all(checked: Checked | None, since: Since | None) -> str | None:
    """Returns why a whole table has to be compared, whatever changed; None: nothing of the kind is known."""
    if checked is None or since is None:
        return "it was never compared"
    if not since.is_ancestor:
        return "its newest snapshot does not come from the one that was compared"
    if since.schema_id != checked.schema_id:
        return "its columns have changed"
    if since.foreign:
        return "another writer has changed it"
    return "its last full comparison is too old" if checked.is_due else None


def find_reason_in_changes(mode: str, progress: Progress, facts: RangeFacts, has_late: bool) -> str | None:
    """Returns why changes may concern every key of a table; None: they concern their own keys.

    Args:
        mode: of the table, as in ``meta.cdc``.
        progress: of silver.
        facts: about the changes since the last comparison.
        has_late: whether one of them is not newer than silver was.
    """
    if facts.first_reset_point:
        return "a truncate or a complete reload ends every row before it"
    if facts.has_overwritten:
        return "a file was overwritten, whose rows may have had any key"
    if mode == "history" and has_late and progress.has_reset_point:
        return "a change came late to a history with a truncate or a complete reload"
    return None


def plan_step(
    checked: Checked,
    progress: Progress,
    facts: RangeFacts,
    *,
    is_row_whole: bool,
    skips_unchanged: bool,
    is_small: bool,
    rows_sql: str,
    log_sql: str,
    net_rows: int,
) -> Step:
    """Decides how a step is compared.

    Args:
        checked: where it begins.
        progress: where it ends.
        facts: about its rows of bronze.
        is_row_whole: whether a change alone makes a row of silver: it needs no version and no deleted row before it.
        skips_unchanged: whether a change of no value is not written.
        is_small: whether one task reads all.
        rows_sql: the step's rows of bronze.
        log_sql: the same, or all rows of bronze up to its end if a change is late.
        net_rows: how many rows silver got.
    """
    has_late = facts.has_late(checked.sequence)
    is_whole = is_row_whole and not facts.has_partial
    return Step(
        silver_snapshot_id=checked.snapshot_id,
        after_sequence=checked.sequence,
        rows_sql=rows_sql,
        log_sql=log_sql,
        has_late=has_late,
        has_partial=facts.has_partial,
        has_key_changes=facts.has_key_changes,
        splits_keys=has_late or facts.has_key_changes,
        rows=progress.rows,
        is_small=is_small,
        continues=not has_late and not is_whole,
        is_newest=not has_late and is_whole and not skips_unchanged,
        net_rows=net_rows,
    )


def ask_checked(warehouse: Warehouse, sql: Sql) -> Mapping[str, Checked]:
    """Returns what `silver_checks` records of each table, by its name; asked once a command.

    Args:
        warehouse: answers the question.
        sql: macros by name.
    """

    def ask() -> Mapping[str, Checked]:
        recorded = find_built(warehouse, sql, ["silver_checks"]).get("silver_checks")
        return read_checked(warehouse.query(sql["cdc_checked_tables_sql"](recorded))) if recorded else {}

    checked: Mapping[str, Checked] = warehouse.ask_once("checked tables", ask)
    return checked


def read_checked(rows: Iterable[Mapping[str, Any]]) -> dict[str, Checked]:
    """Reads the rows of `cdc_checked_tables_sql`; returns the comparisons by silver table."""
    return {
        row["silver_table"]: Checked(
            snapshot_id=int(row["snapshot_id"]),
            schema_id=int(row["schema_id"]),
            bronze_snapshot_id=int(row["bronze_snapshot_id"]),
            batch_id=int(row["batch_id"]),
            sequence=row["sequence"],
            is_due=bool(row["is_due"]),
        )
        for row in rows
    }


def read_progress(summary: Mapping[str, str]) -> Progress | None:
    """Reads the summary of silver's newest batch; None: no row was applied yet."""
    if not summary.get("cdc.sequence"):
        return None
    return Progress(
        bronze_snapshot_id=int(summary["cdc.bronze-snapshot-id"]),
        batch_id=int(summary["cdc.batch-id"]),
        sequence=summary["cdc.sequence"],
        has_reset_point=bool(summary.get("cdc.reset-point")),
        rows=int(summary.get("total-records", 0)),
    )


def read_since(since: Mapping[str, Any]) -> Since:
    """Reads the answer of `Warehouse.snapshots_since`.

    Each snapshot of this project carries progress, or names the batch that it is a part of.
    """
    changed = [snapshot for snapshot in since["snapshots"] if snapshot["operation"] != "replace"]
    return Since(
        is_ancestor=bool(since["is_ancestor"]),
        schema_id=since["schema_id"],
        changed=tuple(
            Snapshot(
                snapshot_id=snapshot["snapshot_id"],
                committed_at=snapshot["committed_at"],
                operation=snapshot["operation"],
                net_rows=snapshot["net_rows"],
                is_foreign=not {"cdc.batch-id", "cdc.part-of-batch"} & snapshot["summary"].keys(),
            )
            for snapshot in changed
        ),
    )


def read_records(results: Iterable[Any]) -> Sequence[Record]:
    """Reads what has to be recorded at the end of a command: from the tests that passed, and from nothing else.

    Args:
        results: dbt's results of the command. A test that failed, could not run or was skipped records nothing.
    """
    texts = [
        result.node.compiled_code or ""
        for result in results
        if str(result.status) == TEST_PASSED
        and getattr(getattr(result.node, "test_metadata", None), "name", None) in _RECORDING_TESTS
    ]
    return [Record(**json.loads(record)) for text in texts for record in _RECORD.findall(text)]
