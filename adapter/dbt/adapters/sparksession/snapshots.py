"""What Iceberg knows of a table's snapshots, read from its metadata without a Spark job."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from dbt.adapters.sparksession.errors import is_commit_conflict
from dbt.adapters.sparksession.java import java_class


def current_snapshot_id(session: SparkSession, table: str) -> int:
    """The newest snapshot that changed rows; 0: the table has none.

    One of a compaction has the same rows as the one before it, and is left out unless only such are left.
    """
    iceberg = _iceberg_table(session, table)
    newest = iceberg.currentSnapshot()
    changed = (one for one in _ancestors(iceberg, newest) if one.operation() != "replace")
    snapshot = next(changed, newest)
    return int(snapshot.snapshotId()) if snapshot else 0


def is_current_ancestor(session: SparkSession, table: str, snapshot_id: int) -> bool:
    """Whether a snapshot is the current one, or one that it came from and that has not expired."""
    iceberg = _iceberg_table(session, table)
    return _leads_to(iceberg, snapshot_id, iceberg.currentSnapshot())


def newest_summary(session: SparkSession, table: str, key: str) -> dict[str, str]:
    """The summary of the newest snapshot that has a key, among the current one and its ancestors; else nothing.

    A rollback of the table leaves the snapshots after it out.
    """
    iceberg = _iceberg_table(session, table)
    for snapshot in _ancestors(iceberg, iceberg.currentSnapshot()):
        if snapshot.summary().containsKey(key):
            return _summary(snapshot)
    return {}


def start_branch(session: SparkSession, table: str, branch: str) -> None:
    """Make a branch of the table's current snapshot; one of that name that was left over is moved there."""
    iceberg = _iceberg_table(session, table)
    start = iceberg.currentSnapshot().snapshotId()
    changes = iceberg.manageSnapshots()
    moved = changes.replaceBranch if iceberg.refs().containsKey(branch) else changes.createBranch
    moved(branch, start).commit()


def rows_removed(session: SparkSession, table: str, branch: str) -> int:
    """How many rows the newest commit of a branch removed by position; 0 if the branch has no commit of its own."""
    iceberg = _iceberg_table(session, table)
    snapshot = iceberg.snapshot(branch)
    if snapshot.snapshotId() == iceberg.currentSnapshot().snapshotId():
        return 0
    summary = _summary(snapshot)
    # A deletion vector is written anew with what it held before.
    return int(summary.get("added-position-deletes", 0)) - int(summary.get("removed-position-deletes", 0))


def publish_branch(session: SparkSession, table: str, branch: str) -> bool:
    """Make a branch the table's current state and remove its name, in one commit.

    Returns:
        False, and nothing is changed, if somebody else has committed to the table since the branch began.
    """
    operations = _iceberg_table(session, table).operations()
    base = operations.current()
    main, written = base.ref("main"), base.ref(branch)
    if not _leads_to(base, main.snapshotId(), base.snapshot(written.snapshotId())):
        return False
    moved = java_class("org.apache.iceberg.SnapshotRef").builderFrom(main, written.snapshotId()).build()
    changes = java_class("org.apache.iceberg.TableMetadata").buildFrom(base)
    published = changes.setRef("main", moved).removeRef(branch).build()
    try:
        # Not manageSnapshots(): when a commit comes in between, that repeats itself on top of it, and would undo it.
        operations.commit(base, published)
    except Py4JJavaError as error:
        if not is_commit_conflict(error):
            raise
        return False
    return True


def _iceberg_table(session: SparkSession, table: str) -> Any:
    return java_class("org.apache.iceberg.spark.Spark3Util").loadIcebergTable(session._jsparkSession, table)


def _summary(snapshot: Any) -> dict[str, str]:
    """As one text: to ask Java for each of its 40 values takes 13 times as long."""
    text = java_class("org.apache.iceberg.util.JsonUtil").mapper().writeValueAsString(snapshot.summary())
    return dict(json.loads(text))


def _leads_to(table: Any, snapshot_id: int, snapshot: Any) -> bool:
    return any(ancestor.snapshotId() == snapshot_id for ancestor in _ancestors(table, snapshot))


def _ancestors(table: Any, snapshot: Any) -> Iterator[Any]:
    """A snapshot and those that it came from, newest first."""
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = None if parent is None else table.snapshot(parent)
