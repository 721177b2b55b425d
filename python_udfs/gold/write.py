"""Writes the affected keys of a gold table."""

from __future__ import annotations

from python_udfs.gold.plan import GoldPlan
from python_udfs.pipeline.branch_writes import write_on_branch
from python_udfs.pipeline.warehouse import Relation, Sql, Writer


def replace_keys(warehouse: Writer, sql: Sql, plan: GoldPlan, gold: Relation, invocation_id: str) -> None:
    """Removes the rows of the affected keys and adds the new ones on a branch, which becomes the table in one commit.

    Only the last commit carries the progress, so no state without the new rows claims it. If no key is affected, the
    commit has no rows, and records how far the table is.

    Args:
        warehouse: has the table.
        sql: macros by name.
        plan: of the run.
        gold: the table.
        invocation_id: of the command.

    Raises:
        LakehouseError: as `write_on_branch`.
    """

    def write(target: str) -> None:
        rows_sql = f"select * from {gold} where false"
        if plan.keys:
            delete_sql = sql["cdc_gold_delete_sql"](target, plan.model.settings.key, plan.keys_view)
            warehouse.run_commit(delete_sql, {"cdc.gold-part": invocation_id})
            rows_sql = sql["cdc_gold_rows_sql"](plan.model, plan.movements, plan.query_sql, plan.keys_view)
        warehouse.run_commit(f"insert into {target} by name\n{rows_sql}", plan.progress)

    write_on_branch(warehouse, gold, "cdc_gold_" + invocation_id.replace("-", ""), write)
