"""The operation `change_types`: bronze and silver get the types that `decide` decides on, each by one commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.casts import plan_checks
from python_udfs.pipeline.columns import Column, list_names_in_files, plan_changes
from python_udfs.pipeline.progress import read_last_batch_id
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.rebuild import rebuild_silver, replace_table, require_bronze
from python_udfs.pipeline.replay import ask_columns, list_problems, replay
from python_udfs.pipeline.silver import is_of_other_types
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation
from python_udfs.retype.decide import TypeChange
from python_udfs.retype.question import ask_types


def change_types(project: Project, table: Any, many_rows: int) -> None:
    """Gives the columns of a table the types of the seed, or those that its quarantined rows need.

    Args:
        project: with the table.
        table: name of the silver table, with or without its schema.
        many_rows: as for `rebuild_silver`.

    Raises:
        LakehouseError: there is no such table, a column cannot get its type, or a value would be lost; it has all
            problems, and nothing was changed.
    """
    model = project.find_model(table)
    bronze = require_bronze(project, model)
    cdc = project.describe_bronze(bronze)
    decided = ask_types(project.warehouse, project.sql, cdc, bronze)
    changes = decided.changes
    failures = [] if decided.problems else _find_lost(project, cdc, bronze, changes)
    require_types(model.alias, bronze, decided.problems, failures)
    for column in changes:
        project.say(f"{bronze}: {column.name} {column.raw_type} becomes {column.type} ({column.origin})")
    for sentence in decided.left:
        project.say(f"not changed: {sentence}")
    first = f"rewriting {bronze}" if changes else f"{bronze} has its types, nothing to rewrite"
    project.say(f"1 of 3: {first}")
    if changes:
        rewrite_bronze(project, cdc, bronze, changes)
    project.say("2 of 3: replaying the quarantine")
    columns = ask_columns(project, cdc, bronze)
    problems = list_problems(cdc, columns)
    if problems:
        project.say(f"{model.alias}: {'; '.join(problems)}. Nothing was replayed.")
    else:
        project.say(replay(project, model.alias, cdc, bronze, columns))
    silver: Any = project.find_table("silver", cdc)
    is_rebuilt = bool(changes) or is_of_other_types(project.warehouse, cdc, bronze, silver)
    project.say(f"3 of 3: {'rebuilding silver' if is_rebuilt else 'silver has these types, nothing to rebuild'}")
    if is_rebuilt:
        rebuild_silver(project, table, many_rows)


def _find_lost(
    project: Project, cdc: TableConfig, bronze: Relation, changes: Sequence[TypeChange]
) -> Sequence[Mapping[str, Any]]:
    """Values that a new type does not hold, under the old names of the key, too."""
    keys = {name for key in cdc.primary_key for name in list_names_in_files(cdc, key)}
    of_key, of_others = (
        plan_checks(
            [column for column in changes if column.is_judged and (column.name.lower() in keys) == is_key],
            project.warehouse,
        )
        for is_key in (True, False)
    )
    if not of_key and not of_others:
        return []
    return project.warehouse.query(project.sql["cdc_lost_by_types_sql"](bronze, of_key, of_others))


def require_types(table: str, bronze: Any, problems: Iterable[str], failures: Iterable[Mapping[str, Any]] = ()) -> None:
    """Ends a change of types that would lose a value.

    Args:
        table: name of the silver table.
        bronze: the table whose types change.
        problems: of `decide_types`.
        failures: values that a type does not hold: ``failure``, a sentence, and ``row_count``.

    Raises:
        LakehouseError: it has all problems.
    """
    sentences = [*problems, *(f"{row['failure']} ({row['row_count']} rows of {bronze})" for row in failures)]
    if sentences:
        raise LakehouseError(f"CDC error (change_types) for {table}: {'. '.join(sentences)}. Nothing was changed.")


def rewrite_bronze(project: Project, cdc: TableConfig, bronze: Relation, changes: Sequence[TypeChange]) -> None:
    """Changes the types of bronze by one commit that carries the progress.

    In place if Iceberg can, else all rows are written beside the live files. The sequence, the batch and all other
    columns of a row stay as they are.

    Args:
        project: with the table.
        cdc: the description of the table.
        bronze: the table.
        changes: of its columns.
    """
    warehouse = project.warehouse
    if all(column.is_in_place for column in changes):
        warehouse.change_columns(bronze, plan_changes(changes))
        return
    model: Any = project.models.of_source("bronze", cdc)
    summary = warehouse.newest_summary(bronze, "cdc.batch-id")
    progress = {
        "cdc.batch-id": read_last_batch_id(warehouse, bronze),
        "cdc.line-breaks": summary.get("cdc.line-breaks"),
        "cdc.rejected": summary.get("cdc.rejected"),
    }
    by_name: Mapping[str, Column] = {column.name: column for column in changes}
    columns = [
        by_name.get(column.name) or Column(column.name, column.dtype, column.dtype)
        for column in warehouse.get_columns_in_relation(bronze)
    ]
    replace_table(project, bronze, model, project.sql["cdc_retyped_sql"](bronze, columns), progress)
