"""The operation `rebuild_silver`: a copy of a silver table is made of all of bronze, and replaces it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.metadata.names import RESERVED_PREFIX
from python_udfs.pipeline.columns import select_log_columns
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.silver import plan_rebuild
from python_udfs.pipeline.silver_writes import write_rows_sql
from python_udfs.pipeline.table import Model
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.text_table import write_table
from python_udfs.pipeline.warehouse import Relation

_SHOWN_DIFFERENCES = 5


def rebuild_silver(project: Project, table: Any, many_rows: int) -> None:
    """Builds a silver table beside the live one and replaces the live one by one commit that carries the progress.

    Args:
        project: with the table.
        table: name of the silver table, with or without its schema.
        many_rows: as `Settings` of `silver` has it.

    Raises:
        LakehouseError: there is no such table, nothing to build it from, or the copy differs from bronze.
    """
    model = project.find_model(table)
    bronze = require_bronze(project, model)
    silver, copy = project.name_relation(model), project.name_relation(replace(model, alias=f"{model.alias}__rebuild"))
    warehouse, cdc = project.warehouse, model.cdc
    plan = plan_rebuild(warehouse, project.sql, cdc, silver, bronze, many_rows)
    changes: Any = plan.changes
    project.say(f"1 of 4: building {copy} from {changes.changes} changes in {bronze}")
    replace_table(project, copy, model, write_rows_sql(warehouse, project.sql, cdc, bronze, plan))
    project.say("2 of 4: checking it")
    differences = _find_differences(project, cdc, bronze, copy, changes.to_snapshot_id)
    if differences:
        raise LakehouseError(
            f"CDC error (rebuild_silver): {copy} differs from {bronze}; nothing was replaced. This is a defect: keep"
            " the table and report it. The first differences:\n"
            + write_table(list(differences[0]), [list(row.values()) for row in differences])
        )
    before = f"{project.count_rows(silver)} rows before, " if project.find_relation(model) else ""
    rows = project.count_rows(copy)
    counts = f"{before}{rows} after" if before else f"{rows} rows, it does not exist yet"
    project.say(f"3 of 4: replacing {silver}: {counts}")
    replace_table(project, silver, model, f"select *\nfrom {copy}", plan.progress)
    project.say(f"4 of 4: dropping {copy}")
    warehouse.query(f"drop table {copy}")
    project.say(f"{silver} is rebuilt. The next run continues from it.")


def require_bronze(project: Project, model: Model) -> Relation:
    """Returns the bronze table that a silver table is built from.

    Args:
        project: with the table.
        model: of the silver table.

    Raises:
        LakehouseError: there is no bronze table, or it has no column of the source.
    """
    bronze = project.find_table("bronze", model.cdc)
    if bronze is None:
        raise LakehouseError(
            f"CDC error (rebuild_silver): {model.alias} has no bronze table to be built from. Run `dbt build --select"
            f" +{model.name}`."
        )
    columns = project.warehouse.get_columns_in_relation(bronze)
    if all(column.name.startswith(RESERVED_PREFIX) for column in columns):
        raise LakehouseError(
            f"CDC error (rebuild_silver): no row of {model.alias} has arrived yet; there is nothing to rebuild."
        )
    return bronze


def replace_table(
    project: Project, relation: Relation, model: Model, rows_sql: str, progress: Mapping[str, Any] | None = None
) -> None:
    """Creates a table of a query, or replaces it by one commit, with the partitions and properties that a model sets.

    dbt-spark's own macros read the configuration of the model that runs, and none does.

    Args:
        project: with the table.
        relation: of the table.
        model: whose configuration counts.
        rows_sql: the query.
        progress: properties of the commit.
    """
    partition_by = model.config.get("partition_by") or []
    columns = [partition_by] if isinstance(partition_by, str) else list(partition_by)
    properties = project.warehouse.table_properties(model.config)
    statement = project.sql["cdc_replace_table_sql"](relation, columns, properties, rows_sql)
    project.warehouse.run_commit(statement, progress or {})


def _find_differences(
    project: Project, cdc: TableConfig, bronze: Relation, copy: Relation, snapshot_id: int
) -> Sequence[Mapping[str, Any]]:
    """The first rows that differ, as the data test silver_matches_bronze has them."""
    names = [column.name for column in project.warehouse.get_columns_in_relation(copy)]
    plan = select_log_columns(cdc, project.warehouse.get_columns_in_relation(bronze), names)
    difference_sql = project.sql["cdc_difference_sql"](cdc, copy, bronze, snapshot_id, names, plan)
    return project.warehouse.query(f"{difference_sql}\nlimit {_SHOWN_DIFFERENCES}")
