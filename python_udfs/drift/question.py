"""Facts about what waits for one table: its files, their columns beside those of the table, the rules they break."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_udfs.metadata.names import RESERVED_PREFIX, names_in_files, new_name, table_name
from python_udfs.pipeline.bronze import complete_rows
from python_udfs.pipeline.columns import ExistingColumn, SourceColumn, plan_columns, read_source_columns
from python_udfs.pipeline.progress import read_last_batch_id
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.reading import Reading, add_multi_table_files, open_files
from python_udfs.pipeline.table import Model
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, TableColumn

# Values are read of the first files: so many bytes, and one file whatever its size.
FIRST_BYTES = 16_000_000


@dataclass(frozen=True)
class Waiting:
    """Files that wait for a table.

    Attributes:
        paths: of those with rows of this table alone, in the order in which they are read.
        first_paths: the first of them, whose values are read.
        names: columns of the messages that wait.
        has_multi_table: whether records of multi-table files or messages wait.
        last_batch_id: the newest batch; 0: there is none.
    """

    paths: list[str]
    first_paths: list[str]
    names: list[str]
    has_multi_table: bool
    last_batch_id: int


@dataclass(frozen=True)
class Comparison:
    """Columns of files beside those of their table.

    Attributes:
        renamed: new name of each column that the run would rename.
        target: columns that the table has.
        columns: of the files, as the report takes them.
    """

    renamed: Mapping[str, str]
    target: Sequence[ExistingColumn]
    columns: Sequence[Mapping[str, Any]]


def ask_drift(project: Project, listing: Relation, rejected: Relation) -> dict[str, Any]:
    """Asks for all that waits, after the landing area was listed. Nothing is written.

    Args:
        project: with the tables.
        listing: the model raw_listing, which may not have been built yet.
        rejected: the model rejected_files.

    Returns:
        ``is_listed``: the landing area has been listed; ``feeds``: as `show_waiting` describes each that is split;
        ``tables``: as `describe_table` describes each that something waits for.
    """
    if not project.find_built(["raw_listing"]):
        return {"is_listed": False, "feeds": [], "tables": []}
    feeds = [_show_waiting(project, model) for model in project.models.of_layer("split")]
    views = {facts["feed"]: facts["view"] for facts in feeds}
    # The tables of a feed whose messages cannot be shown are left out: its facts have the reason.
    models = [model for model in project.models.of_layer("bronze") if views.get(model.cdc.feed, "") is not None]
    tables = [_ask_table(project, model, listing, rejected, views.get(model.cdc.feed)) for model in models]
    return {"is_listed": True, "feeds": feeds, "tables": [table for table in tables if table]}


def sort_files(rows: Iterable[Mapping[str, Any]]) -> Waiting:
    """Sorts the files that wait.

    Args:
        rows: of `cdc_new_files_sql`, in the order in which files are read.
    """
    newest = [row for row in rows if row["is_newest"]]
    files = [row for row in newest if row["kind"] not in ("multi_table", "truncate")]
    messages = [row for row in newest if row["kind"] == "multi_table"]
    first: list[str] = []
    size = 0
    for row in files:
        if size < FIRST_BYTES:
            first.append(row["path"])
        size += row["size"]
    return Waiting(
        paths=[row["path"] for row in files],
        first_paths=first,
        names=[name for row in messages for name in json.loads(row.get("names") or "[]")],
        has_multi_table=bool(messages),
        last_batch_id=max((int(row["batch_id"]) for row in newest), default=0),
    )


def compare_columns(cdc: TableConfig, table: Iterable[TableColumn], source: Iterable[SourceColumn]) -> Comparison:
    """Compares the columns of files with those of their table.

    Args:
        cdc: of the bronze model.
        table: columns of the bronze table; none if it does not exist.
        source: of `read_source_columns`.
    """
    own = [column for column in table if not column.name.startswith(RESERVED_PREFIX)]
    present = {column.name.lower() for column in own}
    renames = cdc.renamed_columns
    new_names = {column.name: new_name(renames, column.name) for column in own}
    renamed = {old: new for old, new in new_names.items() if new.lower() not in present}
    target = [ExistingColumn(renamed.get(column.name, column.name), column.dtype) for column in own]
    types = {column.name.lower(): column.dtype.lower() for column in target}
    columns = [
        {
            "name": column.name,
            "types": list(column.types or [column.type]),
            "table_type": types.get(column.name.lower()),
            "is_listed": column.is_listed,
        }
        for column in source
    ]
    return Comparison(renamed, target, columns)


def find_missing(
    cdc: TableConfig,
    target: Iterable[TableColumn],
    files: Waiting,
    raw: Reading,
    headers: Iterable[Mapping[str, Any]],
    message_names: str | None,
) -> list[dict[str, Any]]:
    """Finds the columns of a table that files which name their columns lack.

    Args:
        cdc: of the bronze model.
        target: columns of the table.
        files: that wait.
        raw: of these files: parquet has a schema for each.
        headers: of `cdc_csv_header_sql`, in how many CSV files each name is.
        message_names: of all messages that carry a row, as a JSON array; None: there is none.
    """
    names = json.loads(message_names or "[]")
    if cdc.format == "parquet":
        sources = len(raw.schemas)
        counts = Counter(column["name"].lower() for schema in raw.schemas for column in schema)
    elif cdc.format == "csv":
        sources = len(files.first_paths) - len(raw.rejected) if cdc.options.header else 0
        counts = Counter({table_name(row["name"]).lower(): int(row["file_count"]) for row in headers})
    else:
        sources = 1 if names else 0
        counts = Counter({table_name(name).lower(): 1 for name in names})
    missing = []
    for column in target:
        present = sum(counts[name] for name in names_in_files(cdc.renamed_columns, column.name))
        if present < sources:
            missing.append({"name": column.name, "type": column.dtype.lower(), "is_everywhere": present == 0})
    return missing


def describe_table(
    table: str,
    cdc: TableConfig,
    files: Waiting,
    raw: Reading,
    compared: Comparison,
    missing: Sequence[Mapping[str, Any]],
    judged: Mapping[str, Any],
) -> dict[str, Any]:
    """Returns the facts of one table in the form that `report` takes.

    Args:
        table: name of the bronze table.
        cdc: of its model.
        files: that wait.
        raw: of these files.
        compared: from `compare_columns`.
        missing: from `find_missing`.
        judged: answer of `adapter.attempt` to the rules of the first rows. Rows that cannot be read are an answer,
            too: a run decodes such files one by one.
    """
    return {
        "table": table,
        "schema_drift": cdc.schema_drift,
        "rejected": raw.rejected,
        "keeps_absent": cdc.options.absent_columns == "keep",
        "are_typed": cdc.format == "parquet",
        "files": len(files.paths),
        "first_files": len(files.first_paths),
        "has_columns": bool(compared.target),
        "renamed": dict(compared.renamed),
        "columns": list(compared.columns),
        "missing": list(missing),
        "rules": [
            {"rule": row["rule"], "rows": int(row["row_count"]), "example": row["example"]} for row in judged["rows"]
        ],
        "problem": judged["error"],
    }


def _show_waiting(project: Project, model: Model) -> dict[str, Any]:
    """Shows the messages and transaction files that wait for a split table in a view, as if the table had them."""
    split = project.find_relation(model)
    arguments = {
        "seeds": project.warehouse.project_path("seeds"),
        "feed": model.cdc.feed,
        "split": None if split is None else str(split),
        "schema": model.schema,
        "view": f"{model.alias}__drift",
    }
    facts: dict[str, Any] = project.warehouse.call_function("python_udfs.drift.waiting.show_waiting", arguments, True)
    return facts


def _ask_table(
    project: Project, model: Model, listing: Relation, rejected: Relation, split: Any
) -> dict[str, Any] | None:
    """The facts of one bronze table; None: nothing waits for it."""
    warehouse, sql, cdc, view = project.warehouse, project.sql, model.cdc, f"{model.alias}__drift"
    bronze = project.find_relation(model)
    after_batch_id = read_last_batch_id(warehouse, bronze)
    files_sql = sql["cdc_new_files_sql"](listing, rejected, cdc, after_batch_id, split)
    ordered_sql = f"select *\nfrom ({files_sql})\norder by {sql['cdc_file_order_sql']()}"
    files = sort_files(warehouse.query(ordered_sql))
    if not files.paths and not files.has_multi_table:
        return None
    # The footers of parquet show the columns of all files; values are read of the first ones.
    is_parquet = cdc.format == "parquet"
    paths, verify = (files.paths, "schema") if is_parquet else (files.first_paths, "full")
    raw = open_files(warehouse, sql, cdc, view, paths, verify) if paths else Reading()
    judged = raw
    if files.has_multi_table:
        batches = (after_batch_id, files.last_batch_id)
        raw = add_multi_table_files(warehouse, sql, cdc, files.names, *batches, raw, split, f"{view}_records")
        judged = raw
    elif paths != files.first_paths:
        judged = open_files(warehouse, sql, cdc, f"{view}_values", files.first_paths, verify)
    source = read_source_columns(cdc, raw.columns)
    table = warehouse.get_columns_in_relation(bronze) if bronze is not None else ()
    compared = compare_columns(cdc, table, source)
    headers, message_names = _ask_names(project, cdc, raw, split, after_batch_id)
    missing = find_missing(cdc, compared.target, files, raw, headers, message_names)
    rules = _judge_values(project, cdc, files, files_sql, judged, source, compared.target, bronze)
    return describe_table(model.alias, cdc, files, raw, compared, missing, rules)


def _ask_names(
    project: Project, cdc: TableConfig, raw: Reading, split: Any, after_batch_id: int
) -> tuple[list[dict[str, Any]], str | None]:
    """The names in the headers of CSV files, and those that all messages have which carry a row."""
    query, sql = project.warehouse.query, project.sql
    if cdc.format == "json":
        return [], query(sql["cdc_message_names_sql"](cdc, split, after_batch_id))[0]["names"]
    if cdc.format == "csv" and cdc.options.header and raw.view is not None:
        return query(sql["cdc_csv_header_sql"](raw.view, cdc.options.delimiter)), None
    return [], None


def _judge_values(
    project: Project,
    cdc: TableConfig,
    files: Waiting,
    files_sql: str,
    judged: Reading,
    source: Sequence[SourceColumn],
    target: Sequence[ExistingColumn],
    bronze: Relation | None,
) -> Mapping[str, Any]:
    """Judges the first rows that wait by the statement of a run, and counts those that break a rule."""
    if judged.view is None:
        return {"rows": [], "error": None}
    policy = cdc.schema_drift
    plan = plan_columns(source, target, policy, project.warehouse)
    drift_sql = project.sql["cdc_schema_drift_sql"](cdc, judged, target) if policy == "quarantine" else None
    rows = complete_rows(judged, bronze, drift_sql)
    rows_sql = project.sql["cdc_bronze_sql"](cdc, files_sql, rows, plan, files.last_batch_id)
    return project.warehouse.attempt(project.sql["cdc_drift_rules_sql"](rows_sql))
