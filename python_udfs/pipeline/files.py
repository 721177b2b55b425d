"""Files and messages that are new for a bronze table, and the files that it leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from python_udfs.metadata.names import file_name
from python_udfs.pipeline.columns import list_names_in_files
from python_udfs.pipeline.table import count_layer, source_of
from python_udfs.pipeline.table_config import Source, TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse

# The reason of a version that the listing shows and nobody can read any more.
REPLACED = "replaced by newer content before it was read"
# Of more files the newest batch is not read for all tables at once.
MOST_SHARED_FILES = 10_000
# Two questions that all tables of a run share cost as much as three of their own.
MOST_LONE_TABLES = 2
# A file of more bytes is read by several tasks.
LARGE_FILE = 16_000_000


@dataclass(frozen=True)
class ListedTable:
    """The files that the listing has of one table; 0 stands for no batch.

    Attributes:
        feed: of the table.
        source_schema: of the table at the source.
        source_table: its name at the source.
        batch_id: the newest batch with files of the table.
        earlier_batch_id: the newest such batch before the newest batch of all tables.
        shared_batch_id: the newest batch with a file whose source position another file has, too.
        is_reloaded: whether a load file came more than once.
        has_gone: whether a file vanished.
        has_loads: whether it has several load files.
        file_count: files of all tables in the newest batch of all.
    """

    feed: str
    source_schema: str | None
    source_table: str | None
    batch_id: int = 0
    earlier_batch_id: int = 0
    shared_batch_id: int = 0
    is_reloaded: bool = False
    has_gone: bool = False
    has_loads: bool = False
    file_count: int = 0


@dataclass(frozen=True)
class BronzeTable:
    """A bronze table and the tables that its rows come from.

    Attributes:
        name: of the table, which begins the names of its temporary views.
        cdc: the description of the model, `meta.cdc`.
        listing: the table `raw_listing`.
        rejected: the table `rejected_files`.
        split: the split table of the feed; None if it has no multi-table files and no messages.
    """

    name: str
    cdc: TableConfig
    listing: Relation
    rejected: Relation
    split: Relation | None = None

    @property
    def is_kafka(self) -> bool:
        """Whether it reads messages of topics: these have no files."""
        return self.cdc.is_kafka


@dataclass(frozen=True)
class Run:
    """The dbt command that a table is built by.

    Attributes:
        nodes: of dbt's graph, by unique id.
        selected: unique ids of the nodes that it runs.
        is_empty: whether it has the flag `--empty`: no file is new.
    """

    nodes: Mapping[str, Any]
    selected: Iterable[str]
    is_empty: bool = False


@dataclass(frozen=True)
class Rejection:
    """A version of a file that is left out.

    Attributes:
        path: of the file.
        rule: `unreadable`, `replaced` or `redelivered`.
        reason: for people.
    """

    path: str
    rule: str
    reason: str


@dataclass(frozen=True)
class NewFiles:
    """The files and messages that are new for a table.

    Attributes:
        sql: a query of the files, which does not read the listing again.
        last_batch_id: the progress once they are read.
        paths: of the files to read, in their order.
        overwritten: paths of change files of which a version of another size was listed before.
        rejections: versions whose content was replaced before anybody read it.
        has_truncate: whether the table was emptied at the source.
        has_load: whether a load file is among them.
        has_multi_table: whether records of multi-table files or messages are.
        is_reloaded: whether a load file of the table came more than once.
        is_large: whether a file is large enough for several tasks.
        source_logs: JSON of `SourceLog`, for groups of the messages.
        names: the columns that the messages name.
        are_plain: whether each message is a change that brings all values under the key that the row has now.
    """

    sql: str
    last_batch_id: int
    paths: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    has_truncate: bool = False
    has_load: bool = False
    has_multi_table: bool = False
    is_reloaded: bool = False
    is_large: bool = False
    source_logs: tuple[str | None, ...] = ()
    names: tuple[str, ...] = ()
    are_plain: bool = True


def describe_rejection(owner: str, path: str, reason: str) -> str:
    """Returns the warning about a file that is left out.

    Args:
        owner: the table or feed that it is of.
        path: of the file.
        reason: for people.
    """
    return f"{owner}: rejected {path}: {reason}"


def read_listed_tables(warehouse: Warehouse, sql: Sql, listing: Relation) -> Mapping[Source, ListedTable]:
    """Asks for the tables of the listing: one query of a command, for bronze, silver and the data tests.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        listing: the table `raw_listing`.
    """
    newest = warehouse.current_summary(listing).get("cdc.batch-id")

    def ask() -> dict[Source, ListedTable]:
        rows = warehouse.query(sql["cdc_listed_tables_sql"](listing, newest))
        return {source_of(row): _read_listed_table(row) for row in rows}

    tables: Mapping[Source, ListedTable] = warehouse.ask_once(f"listed {newest}", ask)
    return tables


def find_listed_table(
    warehouse: Warehouse, sql: Sql, listing: Relation, cdc: TableConfig, after_batch_id: int
) -> ListedTable:
    """Returns the listed files of one table; of no batch if nothing was listed since, or if it reads messages.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        listing: the table `raw_listing`.
        cdc: the description of the table.
        after_batch_id: the last batch that the table has.
    """
    nothing = ListedTable(*cdc.source)
    if cdc.is_kafka:
        return nothing
    # None if the last commit was another program's.
    newest = warehouse.current_summary(listing).get("cdc.batch-id")
    if newest and int(newest) <= int(after_batch_id):
        return nothing
    return read_listed_tables(warehouse, sql, listing).get(cdc.source, nothing)


def find_new_files(
    warehouse: Warehouse, sql: Sql, table: BronzeTable, run: Run, after_batch_id: int, verify: str = "schema"
) -> NewFiles:
    """Finds the files or messages that are new for a table. Nothing is written.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name.
        table: the table.
        run: the command.
        after_batch_id: the last batch that the table has.
        verify: `full` if the table has asked in this command before: it may have rejected files since, which an
            answer that all tables share does not know.
    """
    after = int(after_batch_id)
    new_files_sql = sql["cdc_new_files_sql"]
    if run.is_empty:
        return NewFiles(_no_rows(new_files_sql(table.listing, table.rejected, table.cdc, after)), after)
    if table.is_kafka:
        return find_new_messages(warehouse, sql, table, after)
    listed = find_listed_table(warehouse, sql, table.listing, table.cdc, after)
    own_sql = new_files_sql(
        table.listing, table.rejected, table.cdc, after, table.split, listed.has_gone, listed.is_reloaded
    )
    if table.split is None and listed.batch_id <= after:
        return NewFiles(_no_rows(own_sql), after)
    view = f"{table.name}__files"
    if verify != "full" and _shares_question(warehouse, table, run, listed, after):
        of_all_sql = new_files_sql(table.listing, table.rejected, None, listed.batch_id - 1)
        warehouse.cache_rows(view, of_all_sql, _source_values(table.cdc))
    else:
        warehouse.cache_rows(view, own_sql)
    files_sql = f"select *\nfrom {warehouse.quote(view)}"
    # The order decides the types of columns.
    rows = warehouse.query(f"{files_sql}\norder by {sql['cdc_file_order_sql']()}")
    return replace(judge_new_files(rows, files_sql, after), is_reloaded=listed.is_reloaded)


def judge_new_files(rows: Iterable[Mapping[str, Any]], files_sql: str, after_batch_id: int) -> NewFiles:
    """Judges the versions of files that are new for a table.

    Args:
        rows: of `cdc_new_files_sql`, in the order of the files.
        files_sql: the query that gives these rows.
        after_batch_id: the last batch that the table has.
    """
    rows = list(rows)
    messages = [row for row in rows if row["kind"] == "multi_table"]
    versions = [row for row in rows if row["kind"] not in ("multi_table", "truncate")]
    current = [row for row in versions if row["is_newest"]]
    replaced = dict.fromkeys(row["path"] for row in versions if not row["is_newest"])
    return NewFiles(
        sql=files_sql,
        last_batch_id=max([after_batch_id, *(int(row["batch_id"]) for row in rows)]),
        paths=tuple(row["path"] for row in current),
        overwritten=tuple(
            row["path"]
            for row in rows
            if row["kind"] in ("change", "multi_table") and row["is_newest"] and row.get("revision")
        ),
        rejections=tuple(Rejection(path, "replaced", REPLACED) for path in replaced),
        has_truncate=any(row["kind"] == "truncate" for row in rows),
        has_load=any(row["kind"] == "load" for row in current),
        has_multi_table=bool(messages),
        is_large=any(row["size"] > LARGE_FILE for row in current),
        # Records of CSV have no such facts.
        source_logs=tuple(row["source_log"] for row in messages if "source_log" in row),
        names=tuple(name for row in messages for name in _read_names(row.get("names"))),
        are_plain=all(
            bool(row["are_plain"]) and not _read_names(row["changed_keys"]) for row in messages if "are_plain" in row
        ),
    )


def find_new_messages(warehouse: Warehouse, sql: Sql, table: BronzeTable, after_batch_id: int) -> NewFiles:
    """Finds the messages that are new for a table of topics.

    The manifests of the split table show the batches that they are of. If that is its newest batch alone, one query
    answers for all tables of the command.

    Args:
        warehouse: to ask.
        sql: the macros that write queries, by name, and `cdc_models_of`.
        table: the table.
        after_batch_id: the last batch that the table has.
    """
    cdc, split = table.cdc, table.split
    no_files = NewFiles(_no_rows(sql["cdc_split_files_sql"](split, cdc, after_batch_id)), after_batch_id)
    in_table = {name: value for name, value in _source_values(cdc).items() if name != "feed"}
    batches = warehouse.value_range(split, "batch_id", after_batch_id, in_table)
    if batches is None:
        return no_files
    own_keys = name_message_keys(cdc)
    newest, all_keys = _ask_newest_messages(warehouse, sql, table)
    rows: list[dict[str, Any]] = []
    if batches["lower"] == newest and batches["upper"] == newest:
        shared_sql = sql["cdc_new_messages_sql"](split, all_keys, f"batch_id = {newest}")
        shared_rows = warehouse.ask_once(shared_sql, lambda: warehouse.query(shared_sql))
        rows = [row for row in shared_rows if all(row[name] == value for name, value in in_table.items())]
    if not rows:
        where_sql = sql["cdc_in_batches_sql"](cdc, after_batch_id)
        rows = warehouse.query(sql["cdc_new_messages_sql"](split, own_keys, where_sql))
    if not rows:
        return no_files
    facts = rows[-1]
    changed_keys = [key for key in _read_names(facts["changed_keys"]) if key in own_keys]
    return replace(
        no_files,
        has_multi_table=True,
        source_logs=(facts.get("source_log"),),
        names=tuple(_read_names(facts["names"])),
        are_plain=bool(facts["are_plain"]) and not changed_keys,
        last_batch_id=int(facts["batch_id"]),
    )


def name_message_keys(cdc: TableConfig) -> list[str]:
    """Returns the key columns of a table as its messages name them, old names included, in lower case."""
    return [file_name(name) for key in cdc.primary_key for name in list_names_in_files(cdc, key)]


def _ask_newest_messages(warehouse: Warehouse, sql: Sql, table: BronzeTable) -> tuple[int, list[str]]:
    """The newest batch of a split table, and the key columns of all tables of its feed."""

    def ask() -> tuple[int, list[str]]:
        models: Iterable[Any] = sql["cdc_models_of"]("bronze")
        keys = {key for model in models if model.cdc.feed == table.cdc.feed for key in name_message_keys(model.cdc)}
        summary = warehouse.newest_summary(table.split, "cdc.batch-id")
        return int(summary.get("cdc.batch-id", 0)), sorted(keys)

    newest: tuple[int, list[str]] = warehouse.ask_once(f"messages of {table.split}", ask)
    return newest


def _shares_question(warehouse: Warehouse, table: BronzeTable, run: Run, listed: ListedTable, after: int) -> bool:
    """Whether the files of a table are in the newest batch and nowhere else: all such tables share one question."""
    if table.split is not None or listed.has_gone or listed.is_reloaded:
        return False
    if listed.earlier_batch_id > after or listed.file_count > MOST_SHARED_FILES:
        return False
    tables: int = warehouse.ask_once("bronze tables", lambda: count_layer("bronze", run.nodes, run.selected))
    return tables > MOST_LONE_TABLES


def _read_listed_table(row: Mapping[str, Any]) -> ListedTable:
    return ListedTable(
        *source_of(row),
        batch_id=int(row["batch_id"] or 0),
        earlier_batch_id=int(row.get("earlier_batch_id") or 0),
        shared_batch_id=int(row.get("shared_batch_id") or 0),
        is_reloaded=bool(row.get("is_reloaded")),
        has_gone=bool(row.get("has_gone")),
        has_loads=bool(row.get("has_loads")),
        file_count=int(row.get("file_count") or 0),
    )


def _source_values(cdc: TableConfig) -> dict[str, Any]:
    return {"feed": cdc.feed, "source_schema": cdc.source_schema, "source_table": cdc.source_table}


def _read_names(text: str | None) -> list[str]:
    """Dbt's table has an array as JSON."""
    names: list[str] = json.loads(text or "[]")
    return names


def _no_rows(sql: str) -> str:
    return f"{sql}\nlimit 0"
