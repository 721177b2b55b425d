"""Which table an operation is about, and why it cannot be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.metadata.names import RESERVED_PREFIX
from python_udfs.pipeline.table import Model, Models
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.text_table import write_table
from python_udfs.pipeline.warehouse import TableColumn


def find_silver(models: Models, table: Any) -> Model:
    """Finds the silver model that an operation is about: a command has no model of its own.

    Args:
        models: of the project.
        table: name of the silver table, with or without its schema.

    Raises:
        LakehouseError: none is called so.
    """
    by_name = {model.alias: model for model in models.of_layer("silver")}
    name = str(table).split(".")[-1]
    if name not in by_name:
        expected = ", ".join(sorted(by_name)) or "none, no row of seeds/cdc_tables.csv is active"
        raise LakehouseError(
            f"CDC error (cdc_silver_node): there is no silver table '{table}'. Expected one of: {expected}."
        )
    return by_name[name]


def require_bronze(model: Model, columns: Iterable[TableColumn] | None) -> None:
    """Ends an operation that rebuilds a silver table which has nothing to be built from.

    Args:
        model: of the silver table.
        columns: of bronze; None: it does not exist.

    Raises:
        LakehouseError: there is no bronze table, or it has no column of the source.
    """
    if columns is None:
        raise LakehouseError(
            f"CDC error (rebuild_silver): {model.alias} has no bronze table to be built from. Run `dbt build --select"
            f" +{model.name}`."
        )
    if all(column.name.startswith(RESERVED_PREFIX) for column in columns):
        raise LakehouseError(
            f"CDC error (rebuild_silver): no row of {model.alias} has arrived yet; there is nothing to rebuild."
        )


def require_same_rows(rebuilt: Any, bronze: Any, differences: Sequence[Mapping[str, Any]]) -> None:
    """Ends a rebuild whose copy differs from bronze.

    Args:
        rebuilt: the copy.
        bronze: the table that it was built from.
        differences: the first rows that differ.

    Raises:
        LakehouseError: there is a difference.
    """
    if differences:
        raise LakehouseError(
            f"CDC error (rebuild_silver): {rebuilt} differs from {bronze}; nothing was replaced. This is a defect: keep"
            " the table and report it. The first differences:\n"
            + write_table(list(differences[0]), [list(row.values()) for row in differences])
        )


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


def list_replay_problems(cdc: TableConfig, columns: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lists why the quarantined rows of a table cannot be judged again.

    Args:
        cdc: of the bronze model.
        columns: from the macro cdc_replay_columns.
    """
    problems = []
    if cdc.format == "csv" and cdc.options.header:
        problems.append("its files have a header, and a row in quarantine does not name it: deliver the rows again")
    for column in columns:
        if not column["is_known"]:
            problems.append(
                f"rows in quarantine have a column {column['name']} that bronze does not have: add it with `alter"
                " table`, or to renamed_columns, or let the next file bring it"
            )
    return problems


def require_replayable(table: str, problems: Sequence[str]) -> None:
    """Ends a replay that cannot be done.

    Args:
        table: name of the silver table.
        problems: from `list_replay_problems`, or that there is no bronze table.

    Raises:
        LakehouseError: it has all problems.
    """
    if problems:
        raise LakehouseError(f"CDC error (replay_quarantine) for {table}: {'; '.join(problems)}. Nothing was replayed.")


def describe_replay(table: str, before: int, after: int, is_whole: bool, changes: Sequence[Any], command: str) -> str:
    """Returns the sentence that a replay ends with.

    Args:
        table: name of the silver table.
        before: rows that waited in quarantine.
        after: rows that still wait.
        is_whole: whether a reload that waited for rows is complete now.
        changes: types that the rows need, from `decide_types`.
        command: that changes the types.
    """
    sentence = (
        f"{table}: {before} rows waited in quarantine, {before - after} are in bronze now, {after} still break a rule."
    )
    if before > after:
        sentence += " The next run takes them to silver."
    if is_whole:
        sentence += " The reload is complete: that run removes what it does not hold."
    if changes:
        needs = "; ".join(f"{column.name} needs {column.type}, bronze has {column.raw_type}" for column in changes)
        sentence += f" {needs}: run {command}."
    return sentence


def describe_counts(before: Sequence[Mapping[str, Any]] | None, after: Sequence[Mapping[str, Any]]) -> str:
    """Returns how many rows a table had and will have.

    Args:
        before: answer to `cdc_count_sql`; None: the table does not exist yet.
        after: likewise, of the copy that replaces it.
    """
    rows = after[0]["row_count"]
    if before is None:
        return f"{rows} rows, it does not exist yet"
    return f"{before[0]['row_count']} rows before, {rows} after"
