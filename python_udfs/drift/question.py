"""Facts about what waits for one table: its files, their columns beside those of the table, the rules they break."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_udfs.metadata.names import RESERVED_PREFIX, names_in_files, new_name, table_name
from python_udfs.pipeline.columns import ExistingColumn, SourceColumn
from python_udfs.pipeline.reading import Reading
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import TableColumn

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
        source: of the macro cdc_source_columns.
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
        raw: of the macro cdc_open_files: parquet has a schema for each file.
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
        raw: of the macro cdc_open_files.
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
