"""The newest refresh of each gold table, and what has moved since: from metadata of the tables, without a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from python_udfs.gold.inputs import COMPACTION, count_rows, has_snapshots, is_refreshed, read_recorded
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.warehouse import Relation, Warehouse

_COUNTS = {"bytes": "total-files-size", "data_files": "total-data-files", "delete_files": "total-delete-files"}


def list_refreshes(project: Project) -> list[dict[str, Any]]:
    """Lists the incremental models of gold, each with its newest refresh, as values that JSON can hold.

    A number that the table does not record is missing. Without `way` no refresh has made the newest rows: the table
    does not exist (`is_built`), or another program has written it.
    """
    return [
        {
            "model": model.name,
            "gold_table": model.relation,
            "description": model.description,
            **_read_refresh(project, project.find_relation(model)),
        }
        for model in project.models.of_layer("gold")
        if is_refreshed(model.config)
    ]


def _read_refresh(project: Project, relation: Relation | None) -> dict[str, Any]:
    warehouse = project.warehouse
    if relation is None:
        return {"is_built": False}
    snapshot_id = warehouse.current_snapshot_id(relation) if has_snapshots(relation) else 0
    if not snapshot_id:
        return {"is_built": True}
    snapshot = warehouse.snapshot(relation, snapshot_id)
    summary = snapshot["summary"]
    counts = {name: int(summary[key]) for name, key in _COUNTS.items() if key in summary}
    rows = count_rows(summary)
    if rows is not None:
        counts["rows"] = rows
    refresh = {"is_built": True, "committed_at": snapshot["committed_at"], **counts}
    if "refresh-state" in summary:
        refresh |= {
            "way": summary["cdc.gold-mode"],
            "reason": summary["cdc.gold-reason"],
            "keys": None if summary["cdc.gold-keys"] == "all" else int(summary["cdc.gold-keys"]),
            "started_at": summary["cdc.started-at"].partition("+")[0],
            "moved": _list_moved(project, warehouse, summary),
        }
    return refresh


def _list_moved(project: Project, warehouse: Warehouse, summary: Mapping[str, str]) -> dict[str, str]:
    """Lists the inputs that have changed since a refresh: when the first change was committed, by table."""
    moved = {}
    for name, recorded in read_recorded(summary).items():
        schema, _, identifier = name.partition(".")
        relation = warehouse.get_relation(None, schema, identifier)
        if relation is None or recorded.snapshot_id is None or not has_snapshots(relation):
            continue
        since = warehouse.snapshots_since(relation, recorded.snapshot_id or None)
        changes = [each["committed_at"] for each in since["snapshots"] if each["operation"] != COMPACTION]
        if changes:
            moved[name] = changes[0]
    return moved
