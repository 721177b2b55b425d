"""How the files and messages of a batch are read: with which options, as which columns, and which cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from python_udfs.metadata.names import file_name, table_name
from python_udfs.metadata.options import ReadOptions
from python_udfs.pipeline.columns import (
    Column,
    find_renames,
    list_names_in_files,
    plan_columns,
    read_source_columns,
    rename_all,
    select_own_columns,
)
from python_udfs.pipeline.files import BronzeTable, NewFiles
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, TableColumn, Warehouse

# More CSV files, or a large one, are read by several tasks: then line numbers are counted first.
MOST_UNCOUNTED_FILES = 32


@dataclass(frozen=True)
class Target:
    """A bronze table as it is before a batch.

    Attributes:
        relation: of the table; None before its first batch.
        after_batch_id: the last batch that it has; 0: none.
        columns: of the table, under the names that the metadata gives them now.
        old_names: of columns that the batch renames, by their new names.
    """

    relation: Relation | None = None
    after_batch_id: int = 0
    columns: Sequence[TableColumn] = ()
    old_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The readable files and messages of a batch.

    Attributes:
        view: that has their rows, or a query in brackets; None: nothing can be read.
        columns: name (in the table), file_name and type of each column; CSV without a header has none.
        schemas: the same for single files, at the position `_file_schema`.
        rejected: path and reason of each file that cannot be read.
        has_line_breaks: whether a CSV value may go over lines.
        verified: `full` if every file was decoded, else `schema`: the write shows the files that cannot be read.
    """

    view: str | None = None
    columns: Sequence[Mapping[str, Any]] = ()
    schemas: Sequence[Sequence[Mapping[str, Any]]] = ()
    rejected: Sequence[Mapping[str, str]] = ()
    has_line_breaks: bool = False
    verified: str = "full"


def read_target(warehouse: Warehouse, cdc: TableConfig, relation: Relation | None, after_batch_id: int) -> Target:
    """Asks for the columns of a bronze table, and renames those that the metadata names otherwise now.

    A table that has a column under its old name only gets the new one. One that has both is left alone.

    Args:
        warehouse: to ask.
        cdc: the description of the table.
        relation: of the table; None before its first batch.
        after_batch_id: the last batch that it has.
    """
    if relation is None:
        return Target()
    columns = warehouse.get_columns_in_relation(relation)
    renames = find_renames(cdc, columns)
    return Target(relation, after_batch_id, rename_all(columns, renames), {new: old for old, new in renames.items()})


def plan_batch_columns(warehouse: Warehouse, cdc: TableConfig, reading: Reading, target: Target) -> tuple[Column, ...]:
    """Returns the plan of the columns that a batch and its table have.

    Args:
        warehouse: to ask.
        cdc: the description of the table.
        reading: of the batch.
        target: the table.
    """
    source = read_source_columns(cdc, reading.columns)
    return tuple(plan_columns(source, target.columns, cdc.schema_drift, warehouse))


def changes_columns(plan: Iterable[Column]) -> bool:
    """Returns whether a batch adds a column to its table, or promotes one."""
    return any(column.change for column in plan)


def open_files(
    warehouse: Warehouse, sql: Sql, cdc: TableConfig, view: str, paths: Iterable[str], verify: str
) -> Reading:
    """Registers a view over files. A CSV file is opened as lines of text; names are those of its header, if it has one.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        cdc: the description of the table.
        view: its name.
        paths: of the files.
        verify: `schema` or `full`, as the adapter takes it.
    """
    is_csv, settings = cdc.format == "csv", cdc.options
    raw = warehouse.read_files(
        view, "text" if is_csv else cdc.format, list(paths), {"verify": verify, **_reader_options(sql, cdc)}
    )
    columns = [] if is_csv else [_name_column(column) for column in raw["columns"]]
    if is_csv and settings.header and raw["columns"]:
        header = warehouse.query(sql["cdc_csv_header_sql"](view, settings.delimiter))
        columns = [_name_column({"name": row["name"], "type": "string"}) for row in header]
    schemas = raw["schemas"] if is_csv else [[_name_column(column) for column in names] for names in raw["schemas"]]
    return Reading(
        view=view if raw["columns"] else None,
        columns=columns,
        schemas=schemas,
        rejected=raw["rejected"],
        has_line_breaks=bool(raw["found"]),
        verified=verify,
    )


def read_new_files(
    warehouse: Warehouse,
    sql: Sql,
    table: BronzeTable,
    files: NewFiles,
    target: Target,
    verify: str = "schema",
) -> Reading:
    """Registers the view that the rows of a batch are read from.

    Parquet files, and few small CSV files, are decoded when their rows are written, and before that only if such a
    write has failed, or if more than rows depends on the files: columns, and which files make up a reload.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        table: the table.
        files: of the batch.
        target: the bronze table as it is.
        verify: `full` if a write of the batch has failed because of a file.
    """
    cdc, view = table.cdc, f"{table.name}__raw"
    is_full = verify == "full" or not files.paths or files.is_reloaded or not reads_late(warehouse, cdc, files, target)
    reading = Reading(verified="full" if is_full else "schema")
    if files.paths:
        reading = open_files(warehouse, sql, cdc, view, files.paths, reading.verified)
        is_typed = reading.verified == "schema" and cdc.format == "parquet" and target.relation is not None
        if is_typed and changes_columns(plan_batch_columns(warehouse, cdc, reading, target)):
            reading = open_files(warehouse, sql, cdc, view, files.paths, "full")
    if files.has_multi_table:
        reading = add_multi_table_files(
            warehouse,
            sql,
            cdc,
            files.names,
            target.after_batch_id,
            files.last_batch_id,
            reading,
            table.split,
            f"{table.name}__mixed",
        )
    return reading


def reads_late(warehouse: Warehouse, cdc: TableConfig, files: NewFiles, target: Target) -> bool:
    """Returns whether files may be read without a look into them.

    Line numbers of CSV need no counting if a task reads a whole file, and no value went over lines in the batch before.
    If one does, the write fails, and the files are read in full. Names in a header, and columns that a record may lack,
    are asked for before the write.

    Args:
        warehouse: to ask.
        cdc: the description of the table.
        files: of the batch.
        target: the bronze table as it is.
    """
    if cdc.format != "csv":
        return bool(cdc.format == "parquet")
    has_optional = any(column.optional for column in cdc.columns)
    if cdc.options.header or has_optional or files.is_large or len(files.paths) > MOST_UNCOUNTED_FILES:
        return False
    summary = warehouse.newest_summary(target.relation, "cdc.batch-id") if target.relation is not None else {}
    return "cdc.line-breaks" not in summary


def add_multi_table_files(
    warehouse: Warehouse,
    sql: Sql,
    cdc: TableConfig,
    names: Iterable[str],
    after_batch_id: int,
    last_batch_id: int,
    reading: Reading,
    split: Relation | None,
    view: str,
) -> Reading:
    """Adds the records of multi-table files, or the messages, of a table. Messages name their columns, as text.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        cdc: the description of the table.
        names: of the columns that the messages have.
        after_batch_id: the last batch that the table has.
        last_batch_id: the last one to read.
        reading: of its other files.
        split: the split table.
        view: its name; messages have no view.
    """
    if cdc.format == "json":
        # Read once: a view would be analysed twice.
        view = f"(\n{sql['cdc_messages_sql'](split, cdc, after_batch_id, last_batch_id)}\n)"
    else:
        lines_sql = sql["cdc_multi_table_lines_sql"](split, cdc, after_batch_id, last_batch_id, reading.view)
        warehouse.query(f"create or replace temporary view {view} as\n{lines_sql}")
    columns = [] if cdc.format == "json" else list(reading.columns)
    named = [_name_column({"name": name, "type": "string"}) for name in sorted(set(names))]
    return replace(reading, view=view, columns=[*columns, *named])


def warn_of_names(owner: Any, cdc: TableConfig, reading: Reading) -> list[str]:
    """Returns a warning for each column that has another name here, or that is nearly one of those that DMS adds.

    Args:
        owner: the table, for people.
        cdc: the description of the table.
        reading: of the batch.
    """
    prefix = cdc.options.before_image_prefix
    has_operation = cdc.format == "parquet" and cdc.options.operation_column != "never"
    warnings = []
    for column in select_own_columns(cdc, reading.columns):
        name = column.get("file_name", column["name"])
        if name != column["name"]:
            reason = f"is reserved and is called {column['name']} here (docs/feeds/dms.md)"
        elif name.lower() == "op" and has_operation:
            reason = "is taken as a column of the source: DMS writes Op"
        elif prefix and name.lower().startswith(prefix.lower()):
            reason = f"is taken as a column of the source: before_image_prefix is {prefix}"
        else:
            continue
        warnings.append(f"{owner}: column {name} {reason}")
    return warnings


def _reader_options(sql: Sql, cdc: TableConfig) -> dict[str, Any]:
    settings = cdc.options
    if cdc.format == "parquet":
        # Nested values are text: they fit each other whatever fields they have, in any cut into batches.
        exact = ["Op", settings.timestamp_column, settings.change_sequence_column]
        key = [[file_name(name) for name in list_names_in_files(cdc, column)] for column in cdc.primary_key]
        return {"types": "separate", "exact": [name for name in exact if name], "nested": "json", "key": key}
    if cdc.format == "csv":
        find = sql["cdc_csv_continues_sql"]("value", settings.delimiter)
        charset = {"charset": settings.charset} if settings.charset != ReadOptions.charset else {}
        return {"lineSep": "\n", "one_task": True, "find": find, **charset}
    return {}


def _name_column(column: Mapping[str, Any]) -> dict[str, Any]:
    return {**column, "file_name": column["name"], "name": table_name(column["name"])}
