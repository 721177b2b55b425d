"""How far a table is, from its snapshots."""

from __future__ import annotations

from python_udfs.pipeline.warehouse import Relation, Warehouse


def read_last_batch_id(warehouse: Warehouse, relation: Relation | None) -> int:
    """Returns the last batch that is in an append-only table; 0: there is none.

    Expired snapshots take their summaries with them. The greatest batch id in the table is then a safe answer: a batch
    is one commit.

    Args:
        warehouse: has the table.
        relation: the table; None: it does not exist.
    """
    if relation is None:
        return 0
    summary = warehouse.newest_summary(relation, "cdc.batch-id")
    if summary:
        return int(summary["cdc.batch-id"])
    return int(warehouse.query(f"select max(_cdc_batch_id) as batch_id from {relation}")[0]["batch_id"] or 0)
