"""How far the data test `gold_matches_recomputation` compares a gold table with its query, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from python_udfs.gold.inputs import Movement, read_model_inputs, read_recorded
from python_udfs.gold.model import GoldModel
from python_udfs.gold.plan import Frozen
from python_udfs.gold.recorded import find_recorded, list_expired, read_recorded_model
from python_udfs.pipeline.checks import FULL, NOTHING, STEP, Check, Checked, Record, Table, ask_checked
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse

UNKNOWN = "unknown"
# One key in so many is compared though nothing is known to have changed it: others in each snapshot.
SAMPLE = 64
_FLOATS = ("float", "double")


@dataclass(frozen=True)
class GoldCheck:
    """How far a gold table has to be compared.

    Attributes:
        check: depth and reason, and what is recorded once the comparison has passed.
        model: how keys lead to rows of the inputs.
        movements: the inputs, at the snapshots that gold's commit names.
        query_sql: the query that the commit records.
        exact: columns that have to be equal.
        floats: columns that have to be equal to 1e-9 of their size: the order of a sum is in its last digits.
        freeze: condition of the rows that are not compared; empty: all are.
    """

    check: Check
    model: GoldModel | None = None
    movements: tuple[Movement, ...] = ()
    query_sql: str = ""
    exact: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    freeze: str = ""

    @property
    def after_id(self) -> int:
        """The snapshot of gold that is compared."""
        return self.check.record.snapshot_id if self.check.record else 0


def plan_gold_check(
    warehouse: Warehouse, sql: Sql, nodes: Mapping[str, Any], node: Mapping[str, Any], gold: Relation
) -> GoldCheck:
    """Decides how far a gold table is compared: at the snapshots that its newest commit names, and never at newer ones.

    Args:
        warehouse: answers questions.
        sql: macros by name.
        nodes: dbt's nodes and sources by unique id.
        node: dbt's node of the model.
        gold: the table.
    """
    table = Table(gold, None, TableConfig("gold"))
    snapshot_id = warehouse.current_snapshot_id(gold)
    summary = warehouse.snapshot(gold, snapshot_id)["summary"] if snapshot_id else {}
    recorded = read_recorded(summary)
    if "cdc.gold-sql" not in summary:
        return GoldCheck(
            Check(UNKNOWN, "its newest snapshot records no refresh: another program has written it", table)
        )
    config = node["config"]
    read = read_model_inputs(warehouse, nodes, node)
    model = read_recorded_model(node["name"], summary, config, [input for input, _, _ in read])
    movements = find_recorded(model, {source.name: relation for _, source, relation in read}, recorded)
    checked = ask_checked(warehouse, sql).get(table.name)
    expired = list_expired(warehouse, movements)
    if expired:
        reason = f"snapshots of {', '.join(expired)} that it was made of have expired; its next refresh is compared"
        return GoldCheck(Check(NOTHING, reason, table))
    depth, reason = _choose_depth(warehouse, gold, snapshot_id, model, checked)
    if depth == NOTHING:
        return GoldCheck(Check(depth, reason, table))
    schema_id = warehouse.snapshot(gold, snapshot_id)["schema_id"]
    record = Record(table.name, snapshot_id, schema_id, 0, 0, "", depth == FULL)
    freeze = summary.get("cdc.gold-freeze", "")
    if freeze:
        frozen_sql = sql["cdc_gold_frozen_keys_sql"](gold, model.settings.key, Frozen(freeze))
        count = warehouse.query(frozen_sql)[0]["row_count"]
        reason += f"; {count} frozen keys ({freeze}) are left out"
    columns = warehouse.get_columns_in_relation(gold)
    before_id = checked.snapshot_id if checked else 0
    return GoldCheck(
        check=Check(depth, reason, table, record),
        model=model,
        movements=tuple(replace(movement, before_id=before_id) for movement in movements),
        query_sql=model.write_query(summary["cdc.gold-sql"]),
        freeze=freeze,
        exact=tuple(column.name for column in columns if column.dtype not in _FLOATS),
        floats=tuple(column.name for column in columns if column.dtype in _FLOATS),
    )


def _choose_depth(
    warehouse: Warehouse, gold: Relation, snapshot_id: int, model: GoldModel, checked: Checked | None
) -> tuple[str, str]:
    if checked is None:
        return FULL, "it was never compared"
    if checked.snapshot_id == snapshot_id:
        return NOTHING, "no row has changed since the last comparison"
    since = warehouse.snapshots_since(gold, checked.snapshot_id)
    if not since["is_ancestor"] or not since["has_start"]:
        return FULL, "its newest snapshot does not come from the one that was compared"
    if since["schema_id"] != checked.schema_id:
        return FULL, "its columns have changed"
    if checked.is_due:
        return FULL, "its last full comparison is too old"
    if model.query.totals or not model.branches:
        return FULL, "it is a total"
    return STEP, f"keys that changed since the last comparison, and one in {SAMPLE} of the others"
