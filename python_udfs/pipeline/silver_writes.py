"""Writes a plan to a table of silver: the statement that dbt runs, or two commits that are published as one."""

from __future__ import annotations

from python_udfs.pipeline.branch_writes import write_on_branch
from python_udfs.pipeline.columns import plan_changes
from python_udfs.pipeline.delta import Changes, KeyRange
from python_udfs.pipeline.silver import SilverPlan
from python_udfs.pipeline.silver_rows import list_empty_columns
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Writer

_ROUNDED_TYPES = ("smallint", "int", "bigint")


def write_plan(
    warehouse: Writer,
    sql: Sql,
    cdc: TableConfig,
    bronze: Relation,
    this: Relation,
    plan: SilverPlan,
    invocation_id: str,
) -> str | None:
    """Prepares the table; returns the statement that writes a batch the planned way.

    None: there is nothing to write, or `replace_rows` has written it.

    Args:
        warehouse: gets names, columns and types of the table.
        sql: macros by name.
        cdc: of the table.
        bronze: its log.
        this: the table's name.
        plan: what is written.
        invocation_id: of the command.

    Raises:
        LakehouseError: as `replace_rows`.
    """
    if plan.way == "nothing":
        return None
    _prepare_write(warehouse, sql, plan)
    rows_sql = write_rows_sql(warehouse, sql, cdc, bronze, plan)
    if plan.way == "create":
        statement: str = sql["create_table_as"](False, this, rows_sql)
        return statement
    if plan.way == "replace":
        replace_rows(warehouse, sql, cdc, plan, rows_sql, invocation_id)
        return None
    if plan.way == "append":
        return f"insert into {plan.silver} by name\n{rows_sql}"
    if plan.way == "overwrite":
        return f"insert overwrite {plan.silver} by name\n{rows_sql}"
    columns = [column.name for column in warehouse.get_columns_in_relation(plan.silver)]
    arguments = (cdc, plan.silver, f"(\n{rows_sql}\n)", columns)
    if plan.way == "versions":
        return str(sql["cdc_history_merge_sql"](*arguments))
    if plan.way == "merge":
        return str(sql["cdc_merge_sql"](*arguments, plan.changes))


def _prepare_write(warehouse: Writer, sql: Sql, plan: SilverPlan) -> None:
    if plan.properties:
        warehouse.query(sql["cdc_set_properties_sql"](plan.silver, plan.properties))
    if plan.silver is not None:
        warehouse.change_columns(plan.silver, plan_changes(plan.columns, plan.renames))
    if plan.is_small:
        warehouse.plan_once()


def write_rows_sql(warehouse: Writer, sql: Sql, cdc: TableConfig, bronze: Relation, plan: SilverPlan) -> str:
    """Writes the query of the rows that a plan writes to a table, or makes it of."""
    silver = plan.silver if plan.way != "overwrite" else None
    if all(column.raw_type is None for column in plan.columns):
        rows_sql = sql["cdc_silver_empty_sql"](list_empty_columns(warehouse, cdc, plan.columns), bronze)
    elif cdc.mode == "history":
        rows_sql = sql["cdc_history_sql"](cdc, bronze, silver, plan.changes, plan.columns, plan.derives_all)
    else:
        rows_sql = sql["cdc_silver_sql"](cdc, plan.changes, plan.columns, silver is None)
    return str(rows_sql)


def replace_rows(
    warehouse: Writer, sql: Sql, cdc: TableConfig, plan: SilverPlan, rows_sql: str, invocation_id: str
) -> None:
    """Removes the rows of a batch's keys and adds the new ones on a branch, which becomes the table in one commit.

    Only the last commit carries the progress, so no state without the new rows claims it.

    Args:
        warehouse: has the table.
        sql: macros by name.
        cdc: of the table.
        plan: of the batch.
        rows_sql: the new rows.
        invocation_id: of the command.

    Raises:
        LakehouseError: as `write_on_branch`.
    """
    changes, progress, table = plan.changes, plan.progress, plan.silver
    assert changes is not None and table is not None, "the way replace applies changes to a table"
    branch = "cdc_write_" + invocation_id.replace("-", "")
    new_changes, key_range = f"(\n{changes.sql}\n)", widen_range(changes.key_range)

    def write(target: str) -> None:
        delete_sql = sql["cdc_delete_keys_sql"](cdc, target, new_changes, key_range)
        warehouse.run_commit(delete_sql, {"cdc.part-of-batch": progress.get("cdc.batch-id")})
        rows_removed = warehouse.rows_removed(table, branch)
        rows_deleted = _count_deleted(warehouse, sql, cdc, table, changes, new_changes, rows_removed)
        counts = {"cdc.rows-updated": rows_removed - rows_deleted, "cdc.rows-deleted": rows_deleted}
        warehouse.run_commit(f"insert into {target} by name\n{rows_sql}", {**progress, **counts})

    write_on_branch(warehouse, table, branch, write)


def _count_deleted(
    warehouse: Writer,
    sql: Sql,
    cdc: TableConfig,
    table: Relation | None,
    changes: Changes,
    new_changes: str,
    rows_removed: int,
) -> int:
    """Counts the rows that a batch has deleted among those that it removed.

    The changes show it, unless they contradict the rows that were there; then the table is queried.
    """
    if not changes.has_deletes:
        return 0
    keys = warehouse.query(sql["cdc_key_counts_sql"](cdc, new_changes))[0]
    if 0 <= rows_removed - keys["rows_before"] <= keys["rows_unclear"]:
        return int(keys["rows_deleted"])
    return int(warehouse.query(sql["cdc_count_deleted_sql"](cdc, table, new_changes))[0]["rows_deleted"])


def widen_range(key_range: KeyRange | None) -> KeyRange | None:
    """Makes a range of whole numbers wider by up to a quarter; None: no row has a key.

    Numbers are part of the code that Spark generates to read the table: with the same ones the code of the batch before
    is used again. Multiples of a power of two stay within the type.
    """
    if key_range is None or key_range.first is None or key_range.last is None:
        return None
    if key_range.type not in _ROUNDED_TYPES:
        return key_range
    first, last = int(key_range.first), int(key_range.last)
    step = 2 ** ((last - first) // 16).bit_length()
    return KeyRange(key_range.type, str(first // step * step), str((last // step + 1) * step - 1))
