"""Reads a table's snapshots from Iceberg's metadata, without a Spark job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import takewhile
from typing import Any
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparksession.few_rows import FEW_CHANGES
from dbt.adapters.sparksession.times import timestamp_text
from spark_files.errors import is_commit_conflict
from spark_files.internals import (
    commit_as_main,
    iceberg_table,
    java_class,
    read_numbers,
    schema_json,
    snapshot_json,
    table_operations,
)

# A write is tried so often if other commits come before it.
ATTEMPTS = 3
# Iceberg's property of a table for write, audit, publish.
_STAGES = "write.wap.enabled"
# Iceberg's properties of a table whose files are stored under numbers: the value of a partition is no name of a folder,
# which holds 255 bytes at most.
PATHS_WITHOUT_VALUES = {"write.object-storage.enabled": "true", "write.object-storage.partitioned-paths": "false"}
_BRANCH_AGE = 24 * 60 * 60 * 1000  # milliseconds
# One task reads so many in less time than several tasks take to start.
_FEW_ROWS = 100_000


def current_snapshot_id(session: SparkSession, table: str) -> int:
    """The newest snapshot that changed rows; 0: the table has none.

    One of a compaction has the same rows as the one before it, and is left out unless only such are left.
    """
    snapshot = _newest_change(iceberg_table(session, table))
    return int(snapshot.snapshotId()) if snapshot else 0


def current_summary(session: SparkSession, table: str) -> dict[str, str]:
    """The summary of the newest snapshot that changed rows; nothing if the table has none."""
    snapshot = _newest_change(iceberg_table(session, table))
    return _summary(snapshot) if snapshot else {}


def is_current_ancestor(session: SparkSession, table: str, snapshot_id: int) -> bool:
    """Whether a snapshot is the current one, or one that it came from and that has not expired."""
    iceberg = iceberg_table(session, table)
    return _leads_to(iceberg, snapshot_id, iceberg.currentSnapshot())


def is_unchanged_since(session: SparkSession, table: str, uuid: str, snapshot_id: int) -> bool:
    """Returns whether a table has the rows and columns of one of its snapshots; a compaction changes neither.

    Args:
        session: session to ask with.
        table: name of an Iceberg table.
        uuid: of the table that had the snapshot; false if it was made again since.
        snapshot_id: the snapshot; false if its columns are not those of the table any more, or if that is unknown.
    """
    iceberg = iceberg_table(session, table)
    if str(iceberg.uuid()) != uuid or not _is_only_compacted(iceberg, snapshot_id, iceberg.currentSnapshot()):
        return False
    then = iceberg.snapshot(snapshot_id)
    return then is not None and _has_its_columns(iceberg, then)


def read_newest_snapshot(session: SparkSession, table: str) -> DataFrame:
    """Returns the rows of the newest snapshot with its columns; the table may have been given others since.

    Args:
        session: session to ask with.
        table: name of an Iceberg table.
    """
    iceberg = iceberg_table(session, table)
    newest = iceberg.currentSnapshot()
    if newest is None or _has_its_columns(iceberg, newest):
        return session.table(table)
    return session.sql(f"select * from {table} version as of {newest.snapshotId()}")


def newest_summary(session: SparkSession, table: str, key: str) -> dict[str, str]:
    """The summary of the newest snapshot that has a key, among the current one and its ancestors; else nothing.

    A rollback of the table leaves the snapshots after it out.
    """
    iceberg = iceberg_table(session, table)
    for snapshot in _ancestors(iceberg, iceberg.currentSnapshot()):
        if snapshot.summary().containsKey(key):
            return _summary(snapshot)
    return {}


def has_few_rows(session: SparkSession, table: str) -> bool:
    """Whether a table has up to 100,000 rows, those that were deleted since included."""
    newest = iceberg_table(session, table).currentSnapshot()
    return newest is None or int(newest.summary().get("total-records") or _FEW_ROWS + 1) <= _FEW_ROWS


def is_small(changes: int, rows: int) -> bool:
    """Whether a batch of changes and the table that it is applied to are so small that tasks cost more than rows."""
    return changes <= FEW_CHANGES and rows <= _FEW_ROWS


def scan_sql(session: SparkSession, table: str) -> str:
    """A table for the from clause of a query: one task reads few rows, and then no row moves from task to task."""
    return f"(select /*+ coalesce(1) */ * from {table})" if has_few_rows(session, table) else table


def newest_record(session: SparkSession, table: str, key: str) -> str:
    """Returns the newest text recorded under a key, or "" if rows were changed or deleted since.

    It stands in the summary of the snapshot that was made with it, or where `record` put it. Only the current snapshot
    and its ancestors count: a rollback of the table leaves out what was recorded after it.
    """
    iceberg = iceberg_table(session, table)
    at, _, recorded = str(iceberg.properties().get(key) or "").partition(" ")
    for snapshot in _ancestors(iceberg, iceberg.currentSnapshot()):
        if str(snapshot.snapshotId()) == at:
            return recorded
        in_summary = snapshot.summary().get(key)
        if in_summary is not None:
            return str(in_summary)
        if snapshot.operation() not in ("append", "replace"):
            break
    return ""


def record(session: SparkSession, table: str, key: str, text: str) -> None:
    """Record a text at the current snapshot without making one: as a property of the table, with the snapshot's id."""
    iceberg = iceberg_table(session, table)
    snapshot = iceberg.currentSnapshot()
    if snapshot is not None:
        iceberg.updateProperties().set(key, f"{snapshot.snapshotId()} {text}").commit()


def append_summaries(table: Any, from_snapshot_id: int | None, to_snapshot_id: int) -> list[dict[str, str]]:
    """The summaries of the snapshots after one, up to another, that appended rows, newest first.

    Args:
        table: Iceberg's table.
        from_snapshot_id: an ancestor of the other; it is left out. None: all that are left are returned, with those
            that overwrote rows, as the one that creates a table of a query.
        to_snapshot_id: the last snapshot.
    """
    later = takewhile(
        lambda snapshot: snapshot.snapshotId() != from_snapshot_id, _ancestors(table, table.snapshot(to_snapshot_id))
    )
    operations = ("append",) if from_snapshot_id else ("append", "overwrite")
    return [_summary(snapshot) for snapshot in later if snapshot.operation() in operations]


def snapshots_since(session: SparkSession, table: str, snapshot_id: int | None = None) -> dict[str, Any]:
    """How a table came from one of its snapshots to the current one.

    Args:
        session: session to ask with.
        table: name of an Iceberg table.
        snapshot_id: the snapshot to start from; None: from before the first one.

    Returns:
        `is_ancestor`: whether the current snapshot came from that one; None if both have no known link, because
        snapshots between them have expired. `snapshots`: those after it, oldest first, up to the current one; where it
        is no ancestor, all ancestors that have not expired. `gone`: ids of that snapshot and those before it that a
        rollback took from the table; None if its metadata is gone, too. `schema_id`: the first schema with the
        columns that the table has now. `uuid`: of the table. `has_start`: whether the table can still be read as it
        was in that snapshot.
        A snapshot has `snapshot_id`, `committed_at` (UTC, in the form that Spark casts to a timestamp), `operation`,
        `net_rows` (rows added less rows removed), `rows` (rows of the table, None if the summary
        does not show it) and `summary`.
    """
    iceberg = iceberg_table(session, table)
    since = list(
        takewhile(lambda snapshot: snapshot.snapshotId() != snapshot_id, _ancestors(iceberg, iceberg.currentSnapshot()))
    )
    parent = since[-1].parentId() if since else iceberg.currentSnapshot() and snapshot_id
    start = iceberg.snapshot(snapshot_id) if snapshot_id is not None else None
    is_ancestor = (
        snapshot_id is None or parent == snapshot_id or (None if start is None and parent is not None else False)
    )
    ids = {snapshot.snapshotId() for snapshot in since}
    lost = (
        [] if is_ancestor else takewhile(lambda snapshot: snapshot.snapshotId() not in ids, _ancestors(iceberg, start))
    )
    return {
        "is_ancestor": is_ancestor,
        "snapshots": [_described(snapshot) for snapshot in reversed(since)],
        "schema_id": _find_first_schema(iceberg, iceberg.schema().schemaId()),
        "uuid": str(iceberg.uuid()),
        "has_start": start is not None,
        "gone": None if start is None and not is_ancestor else [int(snapshot.snapshotId()) for snapshot in lost],
    }


def snapshot(session: SparkSession, table: str, snapshot_id: int) -> dict[str, Any]:
    """One snapshot of a table that has not expired, as in `snapshots_since`, with the first schema of its columns."""
    iceberg = iceberg_table(session, table)
    at = iceberg.snapshot(snapshot_id)
    return _described(at) | {"schema_id": _find_first_schema(iceberg, at.schemaId())}


def _newest_change(iceberg: Any) -> Any:
    newest = iceberg.currentSnapshot()
    return next((snapshot for snapshot in _ancestors(iceberg, newest) if snapshot.operation() != "replace"), newest)


def _has_its_columns(iceberg: Any, snapshot: Any) -> bool:
    """Whether a table has the columns of one of its snapshots."""
    now, then = iceberg.schema().schemaId(), snapshot.schemaId()
    return bool(now == then or _find_first_schema(iceberg, now) == _find_first_schema(iceberg, then))


def _find_first_schema(iceberg: Any, schema_id: int | None) -> int | None:
    """Returns the id of the first schema with the columns of another; that of a key's commit has the same columns."""
    schemas = iceberg.schemas()
    if schemas.size() == 1 or not schemas.containsKey(schema_id):
        return schema_id
    columns = _read_columns(schemas[schema_id])
    ids = sorted(read_numbers(schemas.keySet()))
    return next(earlier for earlier in ids if _read_columns(schemas[earlier]) == columns)


def _read_columns(schema: Any) -> list[tuple[int, str, Any]]:
    """Returns id, name and type of each column, in the form of Iceberg's table metadata."""
    fields = json.loads(schema_json(schema))["fields"]
    return [(field["id"], field["name"], field["type"]) for field in fields]


def _described(snapshot: Any) -> dict[str, Any]:
    fields = _as_json(snapshot)
    summary = fields["summary"]

    added, removed, total = (int(summary.get(f"{name}-records", 0)) for name in ("added", "deleted", "total"))
    return {
        "snapshot_id": fields["snapshot-id"],
        "committed_at": timestamp_text(fields["timestamp-ms"] * 1000),
        "operation": fields["operation"],
        "net_rows": added - removed - _removed_by_position(summary),
        "rows": added - int(summary.get("added-position-deletes", 0)) if added == total else None,
        "summary": summary,
    }


def added_partitions(session: SparkSession, table: str, after: int) -> set[tuple[Any, ...]] | None:
    """The partitions that rows were added to since a snapshot, from the table's manifests.

    Args:
        session: session to ask with.
        table: name of an Iceberg table whose partitions are columns.
        after: a snapshot of the table.

    Returns:
        The values of each partition; None if the current snapshot is not known to have come from that one, or rows
        were not only appended since.
    """
    iceberg = iceberg_table(session, table)
    now = iceberg.currentSnapshot()
    since = list(takewhile(lambda snapshot: snapshot.snapshotId() != after, _ancestors(iceberg, now)))
    if since and (
        since[-1].parentId() != after or any(snapshot.operation() not in ("append", "replace") for snapshot in since)
    ):
        return None
    partitions: set[tuple[Any, ...]] = set()
    if not any(snapshot.operation() == "append" for snapshot in since):
        return partitions if since or (now and now.snapshotId() == after) else None
    scan = iceberg.newIncrementalAppendScan().fromSnapshotExclusive(after).toSnapshot(now.snapshotId())
    any_value = java_class("java.lang.Class").forName("java.lang.Object")
    with closing(scan.planFiles()) as planned:
        tasks = planned.iterator()
        while tasks.hasNext():
            partition = tasks.next().file().partition()
            partitions.add(tuple(partition.get(at, any_value) for at in range(partition.size())))
    return partitions


def head(session: SparkSession, table: str) -> int:
    """The snapshot that readers see, also one of a compaction; 0: the table has none."""
    newest = iceberg_table(session, table).currentSnapshot()
    return int(newest.snapshotId()) if newest else 0


def committed_at(session: SparkSession, table: str) -> float:
    """When the snapshot that readers see was committed, in seconds since 1970; 0: the table has none."""
    newest = iceberg_table(session, table).currentSnapshot()
    return newest.timestampMillis() / 1000 if newest else 0.0


def is_only_compacted(session: SparkSession, table: str, snapshot_id: int) -> bool:
    """Whether a table has the same rows as in a snapshot that readers saw, 0: as when it had none."""
    iceberg = iceberg_table(session, table)
    return _is_only_compacted(iceberg, snapshot_id, iceberg.currentSnapshot())


def allow_stages(session: SparkSession, table: str) -> int:
    """Let statements write snapshots to a table that readers do not see yet (`write.wap.enabled`).

    A table with partitions also gets `PATHS_WITHOUT_VALUES`.

    Returns:
        The sequence number of the newest snapshot that anybody has made of the table, seen by readers or not.
    """
    iceberg = iceberg_table(session, table)
    has_stages = str(iceberg.properties().get(_STAGES)).lower() == "true"
    _set_properties(iceberg, ({} if has_stages else {_STAGES: "true"}) | _find_missing_properties(iceberg))
    return int(table_operations(iceberg)[1].lastSequenceNumber())


def _find_missing_properties(iceberg: Any) -> dict[str, str]:
    """Returns the properties of `PATHS_WITHOUT_VALUES` that a partitioned table lacks."""
    if not iceberg.spec().isPartitioned():
        return {}
    has = iceberg.properties()
    return {name: value for name, value in PATHS_WITHOUT_VALUES.items() if not has.containsKey(name)}


def _set_properties(iceberg: Any, properties: dict[str, str]) -> None:
    if not properties:
        return
    changes = iceberg.updateProperties()
    for name, value in properties.items():
        changes.set(name, value)
    changes.commit()


def write_staged(session: SparkSession, table: str, start: int, write: Callable[[], object]) -> bool:
    """Write to a table on top of a snapshot: readers see the rows by one more commit, or not at all.

    Args:
        session: session that writes.
        table: name of an Iceberg table.
        start: the snapshot that the rows were made for; 0: the table had none.
        write: makes one commit to the table in this session; no `delete` that whole files answer, which Iceberg does
            not stage.

    Returns:
        False, and readers see nothing of it, if somebody else has committed to the table since.
    """
    number = allow_stages(session, table)
    stage = uuid4().hex
    session.conf.set("spark.wap.id", stage)
    try:
        write()
    finally:
        session.conf.unset("spark.wap.id")
    return publish_stage(session, table, start, stage, number)


def publish_stage(session: SparkSession, table: str, start: int, stage: str, number: int) -> bool:
    """Make the snapshot that a statement wrote as `spark.wap.id` the table's current state, in one commit.

    Args:
        session: session to ask with.
        table: name of an Iceberg table.
        start: the snapshot that the rows were made for; 0: the table had none.
        stage: the `spark.wap.id`.
        number: what `allow_stages` returned before the statement ran.

    Returns:
        False, and nothing is changed, if rows of the table have changed since `start`, or somebody else has committed
        since the statement read the table.
    """
    operations, base = table_operations(iceberg_table(session, table))
    now = base.currentSnapshot()
    staged = base.snapshots()
    for at in reversed(range(staged.size())):
        if staged.get(at).summary().get("wap.id") == stage:
            is_based_on_now = staged.get(at).parentId() == (now.snapshotId() if now else None)
            return (
                is_based_on_now and _is_only_compacted(base, start, now) and _publish(operations, base, staged.get(at))
            )
    # Spark commits nothing if a statement has nothing to write. If snapshots were made, the one of the statement may
    # have been: an expiry removes snapshots that no branch has.
    return bool(base.lastSequenceNumber() == number)


def start_branch(session: SparkSession, table: str, branch: str) -> None:
    """Make a branch of the table's current snapshot; one of that name that was left over is moved there.

    A table with partitions also gets `PATHS_WITHOUT_VALUES`.

    The branch of a run that was killed goes when snapshots are expired, a day later.
    """
    iceberg = iceberg_table(session, table)
    _set_properties(iceberg, _find_missing_properties(iceberg))
    start = iceberg.currentSnapshot().snapshotId()
    changes = iceberg.manageSnapshots()
    moved = changes.replaceBranch if iceberg.refs().containsKey(branch) else changes.createBranch
    moved(branch, start).setMaxRefAgeMs(branch, _BRANCH_AGE).commit()


def rows_removed(session: SparkSession, table: str, branch: str) -> int:
    """How many rows the newest commit of a branch removed by position; 0 if the branch has no commit of its own."""
    iceberg = iceberg_table(session, table)
    snapshot = iceberg.snapshot(branch)
    if snapshot.snapshotId() == iceberg.currentSnapshot().snapshotId():
        return 0
    return _removed_by_position(_summary(snapshot))


def publish_branch(session: SparkSession, table: str, branch: str) -> bool:
    """Make a branch the table's current state and remove its name, in one commit.

    Returns:
        False, and nothing is changed, if somebody else has committed to the table since the branch began.
    """
    operations, base = table_operations(iceberg_table(session, table))
    written = base.snapshot(base.ref(branch).snapshotId())
    is_based_on_now = _leads_to(base, base.ref("main").snapshotId(), written)
    return is_based_on_now and _publish(operations, base, written, branch)


def _removed_by_position(summary: dict[str, str]) -> int:
    # A deletion vector is written again with what it held before.
    return int(summary.get("added-position-deletes", 0)) - int(summary.get("removed-position-deletes", 0))


def _summary(snapshot: Any) -> dict[str, str]:
    summary: dict[str, str] = _as_json(snapshot)["summary"]
    return summary


def _as_json(snapshot: Any) -> dict[str, Any]:
    """A snapshot by the specification's names; `operation` is no part of its summary, as in Iceberg's interface."""
    fields: dict[str, Any] = json.loads(snapshot_json(snapshot))
    fields["operation"] = fields.setdefault("summary", {}).pop("operation", None)
    return fields


def _publish(operations: Any, base: Any, snapshot: Any, branch: str | None = None) -> bool:
    try:
        commit_as_main(operations, base, snapshot.snapshotId(), branch)
    except Py4JJavaError as error:
        if not is_commit_conflict(error):
            raise
        return False
    return True


def _is_only_compacted(table: Any, snapshot_id: int, snapshot: Any) -> bool:
    for ancestor in _ancestors(table, snapshot):
        if ancestor.snapshotId() == snapshot_id:
            return True
        if ancestor.operation() != "replace":
            return False
    return snapshot_id == 0


def _leads_to(table: Any, snapshot_id: int, snapshot: Any) -> bool:
    return any(ancestor.snapshotId() == snapshot_id for ancestor in _ancestors(table, snapshot))


def _ancestors(table: Any, snapshot: Any) -> Iterator[Any]:
    """A snapshot and those that it came from, newest first."""
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = None if parent is None else table.snapshot(parent)
