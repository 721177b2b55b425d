"""Which columns a column of a model comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.lineage import Node, lineage
from sqlglot.optimizer.qualify import qualify

from python_udfs.metadata.names import file_name

CDC_PREFIX = "_cdc_"


@dataclass(frozen=True)
class Source:
    """A column that another one is made of.

    Attributes:
        table: `schema.table`, or the name of raw files or of a topic.
        column: its name there.
        is_copy: whether the value is taken as it is.
    """

    table: str
    column: str
    is_copy: bool


ColumnLineage = dict[str, list[Source]]


def trace_bronze(columns: Iterable[str], raw: Iterable[str], renamed: Mapping[str, str]) -> ColumnLineage:
    """Each column of the source under the name that files have; what the pipeline adds comes from no column.

    Args:
        columns: of the bronze table.
        raw: names of the datasets that it reads.
        renamed: new name by old name, as in the metadata: a file may have either.
    """
    return {
        column: [
            Source(dataset, name, is_copy=True)
            for dataset in raw
            for name in (file_name(column), *(old for old, new in renamed.items() if new == column))
        ]
        for column in columns
        if not column.startswith(CDC_PREFIX)
    }


def trace_silver(columns: Iterable[str], bronze: str, bronze_columns: Iterable[str]) -> ColumnLineage:
    """Each column of bronze under its own name. Validity and the mark of a soft delete follow from order and operation.

    Args:
        columns: of the silver table.
        bronze: name of the bronze table.
        bronze_columns: its columns.
    """
    in_bronze = set(bronze_columns)
    derived = {
        "_cdc_is_deleted": ("_cdc_operation",),
        "_cdc_valid_from": ("_cdc_committed_at", "_cdc_sequence"),
        "_cdc_valid_to": ("_cdc_committed_at", "_cdc_sequence"),
    }
    by_column: ColumnLineage = {}
    for column in columns:
        if column in derived:
            by_column[column] = [Source(bronze, name, is_copy=False) for name in derived[column]]
        elif column in in_bronze:
            by_column[column] = [Source(bronze, column, is_copy=True)]
    return by_column


def trace_query(sql: str, columns: Mapping[str, Iterable[str]]) -> ColumnLineage | None:
    """Reads a query of Spark SQL.

    Args:
        sql: one query, compiled.
        columns: names of columns by `schema.table`, for each table that it reads.

    Returns:
        None: it cannot be parsed, or it reads a column that is not known.
    """
    schema: dict[str, Any] = {}
    written: dict[str, str] = {}  # names as they are written: Spark takes upper and lower case as equal
    for table, names in columns.items():
        folder, _, name = table.rpartition(".")
        schema.setdefault(folder, {})[name] = dict.fromkeys(names, "string")
        written |= {f"{table}.{column}".lower(): column for column in schema[folder][name]}
    try:
        tree = sqlglot.parse_one(sql, dialect="spark")
        if not isinstance(tree, exp.Query):
            return None
        outputs = {name.lower(): name for name in tree.named_selects}
        for read in tree.find_all(exp.Table):
            read.set("catalog", None)
        query = qualify(tree, schema=schema, dialect="spark")
        assert isinstance(query, exp.Query)
        nodes = {
            name: lineage(exp.column(name, quoted=True), query, schema, dialect="spark") for name in query.named_selects
        }
    except (sqlglot.errors.SqlglotError, ValueError):
        return None
    if "*" in nodes:
        return None
    sources = {name: _sources(node, written) for name, node in nodes.items()}
    return {outputs.get(name) or _as_read(name, sources[name]): sources[name] for name in sources}


def _as_read(name: str, sources: Sequence[Source]) -> str:
    """A column of `select *` has the name that its table gives it."""
    return next((source.column for source in sources if source.column.lower() == name), name)


def _sources(node: Node, written: Mapping[str, str]) -> list[Source]:
    is_copy = all(isinstance(part.expression.unalias(), (exp.Column, exp.Table)) for part in node.walk())
    sources: dict[Source, None] = {}
    for part in node.walk():
        if not part.downstream and isinstance(part.expression, exp.Table):
            table = f"{part.expression.db}.{part.expression.name}"
            column = exp.to_column(part.name).name
            sources[Source(table, written.get(f"{table}.{column}".lower(), column), is_copy)] = None
    return list(sources)
