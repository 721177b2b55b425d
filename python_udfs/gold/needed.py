"""Snapshots of silver, bronze and gold that the next refresh of gold reads: `maintain` keeps them for a while."""

from __future__ import annotations

from collections.abc import Mapping

from python_udfs.gold.inputs import has_snapshots, read_recorded
from python_udfs.pipeline.table import Models, find_relation
from python_udfs.pipeline.warehouse import Warehouse


def list_needed_snapshots(warehouse: Warehouse, models: Models) -> Mapping[str, tuple[int, ...]]:
    """Lists the snapshots that the newest commits of gold name, by the table that has them.

    Args:
        warehouse: has the gold tables; their metadata is read, and no row.
        models: of the project.

    Returns:
        Ids of snapshots by ``schema.alias`` of an input, or of the bronze table of a silver one.
    """
    needed: dict[str, set[int]] = {}
    for model in models.of_layer("gold"):
        relation = find_relation(warehouse, model)
        if relation is None or not has_snapshots(relation):
            continue
        for name, recorded in read_recorded(warehouse.current_summary(relation)).items():
            needed.setdefault(name, set()).add(recorded.snapshot_id or 0)
            silver = models.of_relation(name)
            bronze = models.of_source("bronze", silver.cdc) if silver and silver.layer == "silver" else None
            if bronze:
                needed.setdefault(bronze.relation, set()).add(recorded.bronze_snapshot_id or 0)
    return {name: tuple(sorted(ids - {0})) for name, ids in needed.items() if ids - {0}}
