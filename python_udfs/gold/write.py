"""Writes the rows of a gold table as its plan says."""

from __future__ import annotations

from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.gold.plan import AFFECTED, CREATE, FULL, GoldPlan
from python_udfs.pipeline.branch_writes import write_on_branch
from python_udfs.pipeline.warehouse import Relation, Sql, Writer


def write_gold(
    warehouse: Writer, sql: Sql, plan: GoldPlan, gold: Relation | None, target: Relation, config: Any, command: str
) -> str | None:
    """Writes a gold table, or returns the statement that does.

    Args:
        warehouse: has the table.
        sql: macros by name.
        plan: of the run.
        gold: the table; None: it is created.
        target: its name.
        config: dbt's configuration of the model.
        command: id of the command.

    Returns:
        The statement; None: the rows are written.

    Raises:
        LakehouseError: frozen rows would have to be written again, or as `write_on_branch`.
    """
    rows_sql = sql["cdc_gold_query_sql"](plan.movements, plan.query_sql)
    if plan.way == CREATE or gold is None:
        return str(sql["create_table_as"](False, target, rows_sql))
    if plan.way == FULL and plan.has_new_query and not _has_columns(warehouse, sql, gold, target, config, rows_sql):
        if plan.frozen is not None:
            raise LakehouseError(
                f"Gold error in {target}: columns of the query have another type than those of the table, whose frozen"
                " rows no run writes. Cast them to the table's types, or compute frozen rows again, too: dbt run"
                f" --full-refresh --select {target.identifier}."
            )
        # The table is made again by one commit.
        return str(sql["create_table_as"](False, target, rows_sql))
    if plan.way == AFFECTED or plan.frozen is not None:
        replace_rows(warehouse, sql, plan, gold, command)
        return None
    return f"insert overwrite {gold} by name\n{rows_sql}"


def replace_rows(warehouse: Writer, sql: Sql, plan: GoldPlan, gold: Relation, command: str) -> None:
    """Removes rows and adds the new ones on a branch, which becomes the table in one commit.

    Only the last commit carries the progress, so no state without the new rows claims it. If no key is affected, the
    commit has no rows, and records how far the table is.

    Args:
        warehouse: has the table.
        sql: macros by name.
        plan: of the run: all rows, or those of the affected keys; frozen ones stay.
        gold: the table.
        command: id of the command.

    Raises:
        LakehouseError: as `write_on_branch`.
    """
    keys = None if plan.way == FULL else plan.keys

    def write(branch: str) -> None:
        rows_sql = f"select * from {gold} where false"
        if keys is None or keys.count:
            delete_sql = sql["cdc_gold_delete_sql"](branch, plan.model.settings.key, keys, plan.frozen)
            warehouse.run_commit(delete_sql, {"cdc.gold-part": command})
            rows_sql = sql["cdc_gold_new_rows_sql"](plan)
        warehouse.run_commit(f"insert into {branch} by name\n{rows_sql}", plan.progress)

    write_on_branch(warehouse, gold, "cdc_gold_" + command.replace("-", ""), write)


def _has_columns(warehouse: Writer, sql: Sql, gold: Relation, target: Relation, config: Any, rows_sql: str) -> bool:
    """Whether a table has the columns and types of its query, once `on_schema_change` has added or removed columns."""
    view = sql["make_temp_relation"](target, "__dbt_tmp")
    warehouse.query(sql["create_table_as"](True, view, rows_sql))
    sql["process_schema_changes"](config.get("on_schema_change", "ignore"), view, target)
    columns, others = (
        {(column.name.lower(), column.dtype) for column in warehouse.get_columns_in_relation(relation)}
        for relation in (view, gold)
    )
    return columns == others
