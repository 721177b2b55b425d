"""What Iceberg knows of a table's snapshots, read from its metadata without a Spark job."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from spark_files.errors import is_commit_conflict
from spark_files.internals import commit_branch_as_main, iceberg_table, java_class, table_operations

_BETWEEN = "\x01"  # values in one text


def current_snapshot_id(session: SparkSession, table: str) -> int:
    """The newest snapshot that changed rows; 0: the table has none.

    One of a compaction has the same rows as the one before it, and is left out unless only such are left.
    """
    iceberg = iceberg_table(session, table)
    newest = iceberg.currentSnapshot()
    changed = (one for one in _ancestors(iceberg, newest) if one.operation() != "replace")
    snapshot = next(changed, newest)
    return int(snapshot.snapshotId()) if snapshot else 0


def is_current_ancestor(session: SparkSession, table: str, snapshot_id: int) -> bool:
    """Whether a snapshot is the current one, or one that it came from and that has not expired."""
    iceberg = iceberg_table(session, table)
    return _leads_to(iceberg, snapshot_id, iceberg.currentSnapshot())


def newest_summary(session: SparkSession, table: str, key: str) -> dict[str, str]:
    """The summary of the newest snapshot that has a key, among the current one and its ancestors; else nothing.

    A rollback of the table leaves the snapshots after it out.
    """
    iceberg = iceberg_table(session, table)
    for snapshot in _ancestors(iceberg, iceberg.currentSnapshot()):
        if snapshot.summary().containsKey(key):
            return _summary(snapshot)
    return {}


def newest_record(session: SparkSession, table: str, key: str) -> str:
    """What was recorded last of a table whose rows have only been added to or compacted since; else the empty text.

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


def append_summaries(table: Any, from_snapshot_id: int, to_snapshot_id: int) -> list[dict[str, str]]:
    """The summaries of the snapshots after one, up to another, that appended rows, newest first.

    Args:
        table: Iceberg's table.
        from_snapshot_id: an ancestor of the other; it is left out.
        to_snapshot_id: the last snapshot.
    """
    later = takewhile(
        lambda snapshot: snapshot.snapshotId() != from_snapshot_id, _ancestors(table, table.snapshot(to_snapshot_id))
    )
    return [_summary(snapshot) for snapshot in later if snapshot.operation() == "append"]


def start_branch(session: SparkSession, table: str, branch: str) -> None:
    """Make a branch of the table's current snapshot; one of that name that was left over is moved there."""
    iceberg = iceberg_table(session, table)
    start = iceberg.currentSnapshot().snapshotId()
    changes = iceberg.manageSnapshots()
    moved = changes.replaceBranch if iceberg.refs().containsKey(branch) else changes.createBranch
    moved(branch, start).commit()


def rows_removed(session: SparkSession, table: str, branch: str) -> int:
    """How many rows the newest commit of a branch removed by position; 0 if the branch has no commit of its own."""
    iceberg = iceberg_table(session, table)
    snapshot = iceberg.snapshot(branch)
    if snapshot.snapshotId() == iceberg.currentSnapshot().snapshotId():
        return 0
    summary = _summary(snapshot)
    # A deletion vector is written again with what it held before.
    return int(summary.get("added-position-deletes", 0)) - int(summary.get("removed-position-deletes", 0))


def publish_branch(session: SparkSession, table: str, branch: str) -> bool:
    """Make a branch the table's current state and remove its name, in one commit.

    Returns:
        False, and nothing is changed, if somebody else has committed to the table since the branch began.
    """
    operations, base = table_operations(iceberg_table(session, table))
    if not _leads_to(base, base.ref("main").snapshotId(), base.snapshot(base.ref(branch).snapshotId())):
        return False
    try:
        commit_branch_as_main(operations, base, branch)
    except Py4JJavaError as error:
        if not is_commit_conflict(error):
            raise
        return False
    return True


def _summary(snapshot: Any) -> dict[str, str]:
    """As two texts: to ask Java for each of its 40 values takes 13 times as long."""
    summary, join = snapshot.summary(), java_class("java.lang.String").join
    keys, values = join(_BETWEEN, summary.keySet()), join(_BETWEEN, summary.values())
    return dict(zip(keys.split(_BETWEEN), values.split(_BETWEEN), strict=True))


def _leads_to(table: Any, snapshot_id: int, snapshot: Any) -> bool:
    return any(ancestor.snapshotId() == snapshot_id for ancestor in _ancestors(table, snapshot))


def _ancestors(table: Any, snapshot: Any) -> Iterator[Any]:
    """A snapshot and those that it came from, newest first."""
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = None if parent is None else table.snapshot(parent)
