"""The adapter: what dbt and Jinja may ask of Spark."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Hashable
from dataclasses import replace
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any

from dbt.adapters.base import BaseRelation
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter
from dbt.flags import get_flags
from dbt_common.clients.agate_helper import table_from_data_flat
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparksession import folders, run_lock, snapshots
from dbt.adapters.sparksession.catalog import has_views, relation_names, schema_names
from dbt.adapters.sparksession.connections import (
    ONE_COMMIT,
    CommitConflict,
    CreatedMeanwhile,
    FileFault,
    SparksessionConnectionManager,
)
from dbt.adapters.sparksession.few_rows import choose_settings_for_few_rows
from dbt.adapters.sparksession.metrics import added_metrics, may_have_values, value_range
from dbt.adapters.sparksession.python_models import run_model
from dbt.adapters.sparksession.quoting import literal, quoted, unmarked
from dbt.adapters.sparksession.readers import release_readers
from dbt.adapters.sparksession.session import end_command
from dbt.adapters.sparksession.table_metadata import (
    change_columns,
    default_properties,
    has_statistics,
    identify_rows,
)
from spark_files import OptionError, cached, cached_part, holds, is_promotion, read_files
from spark_files.capabilities import (
    COUNTS_MERGED_ROWS,
    appended_rows_sql,
    arrow_of,
    as_utf8_sql,
    error_condition,
    is_utf8_sql,
    utf8_or_null_sql,
)
from spark_files.frames import make_frame
from spark_files.internals import iceberg_table

logger = AdapterLogger("Spark")
ICEBERG_CATALOG = "org.apache.iceberg.spark.SparkCatalog"


class SparksessionAdapter(SparkAdapter):
    """dbt-spark on one in-process Spark session."""

    ConnectionManager = SparksessionConnectionManager

    def __init__(self, config: Any, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._asking = threading.Lock()
        self._locks: dict[Any, threading.Lock] = {}
        self._answers: dict[Any, Any] = {}
        # `dbt debug` passes the profile alone, which does not know the project.
        flags = get_flags()
        root = Path(getattr(config, "project_root", None) or getattr(flags, "PROJECT_DIR", None) or ".").absolute()
        SparksessionConnectionManager.project_root = str(root)
        SparksessionConnectionManager.log_path = str(root / (getattr(flags, "LOG_PATH", None) or "logs"))
        # dbt itself answers with its stack.
        target = root / (getattr(config, "target_path", None) or getattr(flags, "TARGET_PATH", None) or "target")
        refused = folders.refusal({"DBT_TARGET_PATH": target})
        if refused:
            raise FailedToConnectError(refused)

    @property
    def session(self) -> SparkSession:
        """Child Spark session of the calling thread's connection."""
        session: SparkSession = self.connections.get_thread_connection().handle.session
        return session

    @classmethod
    def quote(cls, identifier: str | None) -> str:
        """Write a name as a Spark SQL identifier; dbt-spark leaves a backtick in it as it is."""
        # While dbt parses, some of its macros have no name to quote yet.
        return quoted(str(identifier))

    @available
    @classmethod
    def string_literal(cls, value: Any) -> str:
        """Write a value as a Spark SQL string literal, in which a backslash escapes."""
        return literal(str(value))

    @available
    @classmethod
    def is_type_promotion(cls, from_type: str, to_type: str) -> bool:
        """Whether Iceberg can change a column's type in place; see `spark_files.is_promotion`."""
        return is_promotion(from_type, to_type)

    @available
    @classmethod
    def holds(cls, wide: str, narrow: str) -> bool:
        """Whether a type holds each value of another one; see `spark_files.holds`."""
        return holds(wide, narrow)

    @available
    @classmethod
    def is_small(cls, changes: int, rows: int) -> bool:
        """Whether a batch and the table that it is applied to are small; see `snapshots.is_small`."""
        return snapshots.is_small(changes, rows)

    @available
    @classmethod
    def table_properties(cls, settings: Any) -> dict[str, Any]:
        """Return the properties that an Iceberg table is created with.

        Args:
            settings: `partition_by` and `tblproperties` of the model; the latter go before those that partitions need
                (`snapshots.PATHS_WITHOUT_VALUES`).
        """
        own = settings.get("tblproperties") or {}
        return {**snapshots.PATHS_WITHOUT_VALUES, **own} if settings.get("partition_by") else dict(own)

    @available
    def run_python_model(self, model: dict[str, Any], compiled_code: str) -> dict[str, Any]:
        """Run a Python model and register its result as a temporary view.

        Args:
            model: dbt's description of the model.
            compiled_code: its code with dbt's generated functions.

        Returns:
            `select`: a statement that reads the result, None when the model returned None or `Written`; `message`:
            what dbt's log says of such a run; `properties`: what the commit of the rows records.

        Raises:
            DbtRuntimeError: the model fails or returns something that is no table; names file and line.
        """
        result = run_model(self.session, model, compiled_code, Path(SparksessionConnectionManager.project_root))
        select = None if result.view is None else f"select * from {self.quote(result.view)}"
        return {"select": select, "message": result.message, "properties": dict(result.properties)}

    @available
    def read_files(
        self, view: str, format: str, paths: list[str], options: dict[str, Any] | None = None
    ) -> dict[str, list[Any]]:
        """Register a temporary view over exactly these files; see `spark_files.read_files`."""
        with self.connections.exception_handler(f"adapter.read_files('{view}', '{format}', ...)"):
            try:
                return read_files(self.session, view, format, list(paths), dict(options or {}))
            except OptionError as error:
                raise DbtRuntimeError(str(error)) from None

    @available
    def has_views(self) -> bool:
        """Tell whether the catalog can hold views; Iceberg's is asked, once a command."""
        catalog = self._iceberg_catalog()
        if catalog is None:
            return True
        answer: bool = self.ask_once("has views", lambda: has_views(self.session, catalog))
        return answer

    @available
    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a query; its rows, each a dictionary by column name."""
        _, table = self.execute(sql, fetch=True)
        return [dict(zip(table.column_names, row.values(), strict=True)) for row in table.rows]

    @available
    def attempt(self, sql: str) -> dict[str, Any]:
        """Run a statement that may fail without ending the macro, which Jinja itself has no word for.

        Args:
            sql: the statement.

        Returns:
            `rows` (each a dictionary by column name), `error` (Spark's message, None when it succeeded) and
            `is_conflict` (a commit was not made because another one came first).
        """
        try:
            rows = self.query(sql)
        except DbtDatabaseError as error:
            return {"rows": [], "error": error.msg, "is_conflict": isinstance(error, CommitConflict)}
        return {"rows": rows, "error": None, "is_conflict": False}

    @available
    def start_write(self, relation: BaseRelation) -> None:
        """Remember the snapshot that readers see of a table now: this node's writes to it are made on top of that.

        Questions of a node to the table come afterwards.
        """
        with self.connections.exception_handler(f"adapter.start_write({relation})"):
            self._starts[relation.render()] = snapshots.head(self.session, relation.render())

    @available
    def write(self, relation: BaseRelation, sql: str, properties: dict[str, Any] | None = None) -> None:
        """Run a statement that writes to a table, on top of the snapshot that `start_write` remembered.

        The statement makes a snapshot that readers do not see; one more commit, on exactly that state of the table,
        shows it. If the table was compacted meanwhile, the statement is run again on top of that. A statement that
        creates the table, or writes to one that no `start_write` was called for, is run as it is.

        Args:
            relation: the table.
            sql: the statement.
            properties: what its snapshot records; see `run_commit`.

        Raises:
            CommitConflict: somebody else has changed rows of the table since, or created it. Nothing was written.
            FileFault: a file that the statement read is the cause, and nothing was written.
            DbtDatabaseError: it failed for another reason.
        """
        table = relation.render()
        if not ONE_COMMIT.match(sql):
            self._create(table, sql, properties)
            return
        if table not in self._starts:
            self.run_commit(sql, properties)
            return
        with self.connections.exception_handler(f"adapter.write({relation})"):
            for _ in range(snapshots.ATTEMPTS):
                if snapshots.write_staged(
                    self.session, table, self._starts[table], lambda: self.run_commit(sql, properties)
                ):
                    return
                self._check_start(table)
        raise CommitConflict(
            f"{table}: other commits came first, {snapshots.ATTEMPTS} times. Nothing was changed, nothing is lost:"
            " run it again."
        )

    @available
    def run_commit(self, sql: str, properties: dict[str, Any] | None = None) -> None:
        """Run a statement that writes to Iceberg; its snapshots record these properties, and no other statement's do.

        Args:
            sql: the statement.
            properties: by name; one that is none or an empty text is left out.
        """
        recorded = {name: str(value) for name, value in (properties or {}).items() if value is not None and str(value)}
        handle = self.connections.get_thread_connection().handle
        with handle.recording(recorded):
            self.execute(sql)

    def _create(self, table: str, sql: str, properties: dict[str, Any] | None) -> None:
        try:
            self.run_commit(sql, properties)
        except (CreatedMeanwhile, CommitConflict):  # which of the two depends on the catalog
            raise CommitConflict(
                f"Another run has created {table} since this one looked for it."
                " This run has written nothing there, and nothing is lost: run it again."
            ) from None

    @available
    def is_written(self, relation: BaseRelation, sql: str, properties: dict[str, Any] | None = None) -> bool:
        """As `write`; False if it failed because of a file that it read, and has written nothing."""
        try:
            self.write(relation, sql, properties)
        except FileFault as fault:
            # All files are decoded then, and those that cannot be read are rejected in words: no second message.
            logger.debug(f"A file that was not decoded before cannot be read: {fault.msg}")
            return False
        return True

    @available
    def cache_rows(self, view: str, sql: str, part: dict[str, str] | None = None) -> None:
        """Register a temporary view over the rows that a query has now; see `spark_files.cached`.

        Args:
            view: name of the view.
            sql: a query with few rows.
            part: text columns and their values: only these rows. The query is then run for the first part that is
                asked for, and not again in this command, as with `ask_once`.
        """
        with self.connections.exception_handler(sql):
            if part is None:
                frame = cached(self.session.sql(unmarked(sql)))
            else:
                rows = self.ask_once((sql, "rows"), lambda: arrow_of(self.session.sql(unmarked(sql))))
                frame = cached_part(self.session, rows, part)
            frame.createOrReplaceTempView(self.quote(view))

    @available
    def rows_view(self, view: str, rows: list[dict[str, Any]], schema: str) -> None:
        """Register a temporary view over rows that a macro has made.

        Args:
            view: name of the view.
            rows: values by column name; a column that a row lacks is NULL.
            schema: names and types of the columns, as in `create table`.
        """
        with self.connections.exception_handler(f"adapter.rows_view({view!r})"):
            make_frame(self.session, rows, schema).createOrReplaceTempView(self.quote(view))

    @available
    def call_function(self, name: str, arguments: dict[str, Any], needs_spark: bool = False) -> Any:
        """Call a function of the project's own Python packages, for what Jinja has no word for.

        Args:
            name: `package.module.function`.
            arguments: values by name.
            needs_spark: whether it also takes `spark`, the session of this thread.

        Returns:
            The result of the function.

        Raises:
            DbtRuntimeError: the function raised an error with `is_for_users`; its text, without a trace.
        """
        if needs_spark:
            arguments = {**arguments, "spark": self.session}
        module, _, function = name.rpartition(".")
        if SparksessionConnectionManager.project_root not in sys.path:
            sys.path.insert(0, SparksessionConnectionManager.project_root)
        try:
            return getattr(importlib.import_module(module), function)(**arguments)
        except Exception as error:
            if getattr(error, "is_for_users", False):
                raise DbtRuntimeError(str(error)) from None
            raise

    @available
    def project_path(self, name: str) -> str:
        """Return the path of a file or folder of the project, which a cluster may have copied anywhere."""
        return str(Path(SparksessionConnectionManager.project_root, name))

    @available
    def table_of(self, rows: list[dict[str, Any]]) -> Any:
        """Return rows as the table that dbt makes of a statement's answer; the first one names the columns."""
        return table_from_data_flat(rows, list(rows[0]))

    @available
    def notes(self, name: str) -> dict[str, Any]:
        """Return a dictionary that every node and hook of this command shares; empty when a command begins."""
        notes: dict[str, Any] = self.ask_once(("notes", name), dict)
        return notes

    def _check_start(self, table: str) -> None:
        start = self._starts.get(table)
        if start is not None and not snapshots.is_only_compacted(self.session, table, start):
            raise CommitConflict(
                f"Another run has written to {table} since this one read it (at snapshot {start})."
                " This run has written nothing there, and nothing is lost: run it again."
            )

    @property
    def _starts(self) -> dict[str, int]:
        starts: dict[str, int] = self.connections.get_thread_connection().handle.starts
        return starts

    @available
    def ask_once(self, key: Hashable, ask: Callable[[], Any]) -> Any:
        """Return the answer of the first call with this key in the command: the same for every node that asks."""
        # A lock per question: who asks for something else does not wait for a query.
        with self._asking:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._answers:
                self._answers[key] = ask()
            return self._answers[key]

    @available
    def change_columns(self, relation: BaseRelation, changes: Any) -> None:
        """Rename, widen and add columns of a table in one commit; see `table_metadata.change_columns`.

        Args:
            relation: the table.
            changes: has `renames`, `types` and `added`.
        """
        with self.connections.exception_handler(f"adapter.change_columns({relation})"):
            change_columns(self.session, relation.render(), changes.renames, changes.types, changes.added)

    @available
    def default_properties(self) -> dict[str, str]:
        """Return the properties that the catalog gives new tables (`table-default`)."""
        return default_properties(self.session, self._iceberg_catalog())

    @available
    def has_statistics(self, relation: BaseRelation) -> bool:
        """Return whether the current snapshot of a table has counts of distinct values."""
        with self.connections.exception_handler(f"adapter.has_statistics({relation})"):
            return has_statistics(self.session, relation.render())

    @available
    def identify_rows(self, relation: BaseRelation, columns: list[str] | None) -> None:
        """State the key of a table in its metadata; see `table_metadata.identify_rows`. None: it states none."""
        if columns:
            with self.connections.exception_handler(f"adapter.identify_rows({relation})"):
                identify_rows(self.session, relation.render(), columns)

    @available
    def set_properties(self, properties: dict[str, Any]) -> None:
        """Set Spark properties, or with None unset them, for the rest of the node that this connection runs."""
        settings = self.session.conf
        for name, value in properties.items():
            if value is None:
                settings.unset(name)
            else:
                settings.set(name, str(value))

    @available
    def plan_once(self, is_one_task: bool = True) -> None:
        """Have the statements of this node planned once, not after each stage (`choose_settings_for_few_rows`)."""
        self.set_properties(choose_settings_for_few_rows(is_one_task))

    @available
    def appended_rows_sql(self, relation: BaseRelation, from_snapshot_id: int | str, to_snapshot_id: int | str) -> str:
        """Write the rows between two snapshots for the from clause of a query; see `capabilities.appended_rows_sql`."""
        with self.connections.exception_handler(f"adapter.appended_rows_sql({relation})"):
            return appended_rows_sql(self.session, relation.render(), int(from_snapshot_id), int(to_snapshot_id))

    @available
    @classmethod
    def is_utf8_sql(cls, text: str) -> str:
        """Write the condition that the bytes of a text are UTF-8."""
        return is_utf8_sql(text)

    @available
    @classmethod
    def utf8_or_null_sql(cls, text: str) -> str:
        """Write a text, NULL if its bytes are no UTF-8."""
        return utf8_or_null_sql(text)

    @available
    @classmethod
    def as_utf8_sql(cls, text: str) -> str:
        """Write a text with another character for bytes that are no UTF-8."""
        return as_utf8_sql(text)

    @available
    @classmethod
    def counts_merged_rows(cls) -> bool:
        """Tell whether the snapshot of a MERGE shows how many rows were inserted, updated and deleted."""
        return COUNTS_MERGED_ROWS

    @available
    def read_table_properties(self, relation: BaseRelation, names: list[str]) -> dict[str, str]:
        """Return those of some properties that an Iceberg table has, by name."""
        with self.connections.exception_handler(f"adapter.read_table_properties({relation}, {names})"):
            properties = iceberg_table(self.session, relation.render()).properties()
            return {name: str(value) for name in names if (value := properties.get(name)) is not None}

    @available
    def current_snapshot_id(self, relation: BaseRelation) -> int:
        """Return the newest Iceberg snapshot that changed rows; see `snapshots.current_snapshot_id`."""
        with self.connections.exception_handler(f"adapter.current_snapshot_id({relation})"):
            return snapshots.current_snapshot_id(self.session, relation.render())

    @available
    def current_summary(self, relation: BaseRelation) -> dict[str, str]:
        """Return the summary of the newest snapshot that changed rows, of a table that no node changes any more.

        It is asked once a command; see `snapshots.current_summary`.
        """
        table = relation.render()
        with self.connections.exception_handler(f"adapter.current_summary({table})"):
            summary: dict[str, str] = self.ask_once(
                (table, "summary"), lambda: snapshots.current_summary(self.session, table)
            )
        return summary

    @available
    def is_current_ancestor(self, relation: BaseRelation, snapshot_id: int | str) -> bool:
        """Tell whether a snapshot led to the current one; see `snapshots.is_current_ancestor`."""
        with self.connections.exception_handler(f"adapter.is_current_ancestor({relation})"):
            return snapshots.is_current_ancestor(self.session, relation.render(), int(snapshot_id))

    @available
    def newest_summary(self, relation: BaseRelation, key: str) -> dict[str, str]:
        """Return the newest snapshot summary that has a key; see `snapshots.newest_summary`."""
        with self.connections.exception_handler(f"adapter.newest_summary({relation}, {key!r})"):
            return snapshots.newest_summary(self.session, relation.render(), key)

    @available
    def scan_sql(self, relation: BaseRelation) -> str:
        """Write a table for the from clause of a query; see `snapshots.scan_sql`. Its rows count once a command."""
        table = relation.render()
        with self.connections.exception_handler(f"adapter.scan_sql({table})"):
            scan: str = self.ask_once((table, "scan"), lambda: snapshots.scan_sql(self.session, table))
        return scan

    @available
    def snapshots_since(self, relation: BaseRelation, snapshot_id: int | str | None = None) -> dict[str, Any]:
        """Return the snapshots of a table after one of them; see `snapshots.snapshots_since`."""
        with self.connections.exception_handler(f"adapter.snapshots_since({relation})"):
            since = int(snapshot_id) if snapshot_id is not None else None
            return snapshots.snapshots_since(self.session, relation.render(), since)

    @available
    def is_unchanged_since(self, relation: BaseRelation, uuid: str, snapshot_id: int | str) -> bool:
        """Return whether a table is as in one of its snapshots; see `snapshots.is_unchanged_since`."""
        with self.connections.exception_handler(f"adapter.is_unchanged_since({relation}, {snapshot_id})"):
            return snapshots.is_unchanged_since(self.session, relation.render(), uuid, int(snapshot_id))

    @available
    def snapshot(self, relation: BaseRelation, snapshot_id: int | str) -> dict[str, Any]:
        """Return what a table's metadata has of a snapshot; see `snapshots.snapshot`."""
        with self.connections.exception_handler(f"adapter.snapshot({relation}, {snapshot_id})"):
            return snapshots.snapshot(self.session, relation.render(), int(snapshot_id))

    @available
    def has_few_rows(self, relation: BaseRelation) -> bool:
        """Return whether a table has few rows; see `snapshots.has_few_rows`."""
        with self.connections.exception_handler(f"adapter.has_few_rows({relation})"):
            return snapshots.has_few_rows(self.session, relation.render())

    @available
    def added_metrics(
        self, relation: BaseRelation, from_snapshot_id: int | str | None, to_snapshot_id: int | str, columns: list[str]
    ) -> dict[str, Any] | None:
        """Return what the manifests know of the rows between two snapshots; see `metrics.added_metrics`."""
        with self.connections.exception_handler(f"adapter.added_metrics({relation})"):
            start = None if from_snapshot_id is None else int(from_snapshot_id)
            return added_metrics(self.session, relation.render(), start, int(to_snapshot_id), columns)

    @available
    def may_have_values(self, relation: BaseRelation, column: str) -> bool:
        """Return whether a table may have rows with a value in a column; see `metrics.may_have_values`."""
        with self.connections.exception_handler(f"adapter.may_have_values({relation}, {column!r})"):
            return may_have_values(self.session, relation.render(), column)

    @available
    def value_range(
        self, relation: BaseRelation, column: str, above: int, values: dict[str, str]
    ) -> dict[str, int | None] | None:
        """Return the range of a column in a table that no node changes any more; see `metrics.value_range`.

        The table is loaded once a command: all nodes see the snapshot that it has when the first one asks.
        """
        name = relation.render()
        with self.connections.exception_handler(f"adapter.value_range({relation}, {column!r})"):
            table = self.ask_once((name, "table"), lambda: iceberg_table(self.session, name))
            return value_range(table, column, int(above), values)

    @available
    def start_branch(self, relation: BaseRelation, branch: str) -> None:
        """Begin a branch at what readers see now; see `snapshots.start_branch`.

        Raises:
            CommitConflict: somebody else has changed rows of the table since `start_write`.
        """
        with self.connections.exception_handler(f"adapter.start_branch({relation}, {branch!r})"):
            self._check_start(relation.render())
            snapshots.start_branch(self.session, relation.render(), branch)

    @available
    def rows_removed(self, relation: BaseRelation, branch: str) -> int:
        """Count the rows that the newest commit of a branch removed; see `snapshots.rows_removed`."""
        with self.connections.exception_handler(f"adapter.rows_removed({relation}, {branch!r})"):
            return snapshots.rows_removed(self.session, relation.render(), branch)

    @available
    def publish_branch(self, relation: BaseRelation, branch: str) -> bool:
        """Show a branch to readers, unless somebody else committed meanwhile; see `snapshots.publish_branch`."""
        with self.connections.exception_handler(f"adapter.publish_branch({relation}, {branch!r})"):
            return snapshots.publish_branch(self.session, relation.render(), branch)

    def get_columns_in_relation(self, relation: BaseRelation) -> list[SparkColumn]:
        """Return name and type of the columns without running a query; nothing if there is no such relation."""
        with self.connections.exception_handler(f"adapter.get_columns_in_relation({relation})"):
            try:
                return self._list_columns(relation, self.session.table(relation.render()))
            except AnalysisException as error:
                if error_condition(error) == "TABLE_OR_VIEW_NOT_FOUND":
                    return []
                raise

    @available
    def get_columns_of_rows(self, relation: BaseRelation) -> list[SparkColumn]:
        """Return name and type of the columns of the newest snapshot; see `snapshots.read_newest_snapshot`."""
        with self.connections.exception_handler(f"adapter.get_columns_of_rows({relation})"):
            return self._list_columns(relation, snapshots.read_newest_snapshot(self.session, relation.render()))

    def _list_columns(self, relation: BaseRelation, frame: DataFrame) -> list[SparkColumn]:
        return [
            SparkColumn(
                table_database=None,
                table_schema=relation.schema,
                table_name=relation.name,
                table_type=relation.type,
                column=field.name,
                column_index=index,
                dtype=field.dataType.simpleString(),
            )
            for index, field in enumerate(frame.schema.fields, start=1)
        ]

    def submit_python_job(self, parsed_model: dict[str, Any], compiled_code: str) -> AdapterResponse:
        """Write the result of a Python model.

        The model has run when dbt gets here (macro create_table_as), so the code is the SQL that writes its result.
        """
        response, _ = self.execute(compiled_code)
        return response

    def cleanup_connections(self) -> None:
        """Close the connections at the end of a command, and let the next one write."""
        super().cleanup_connections()
        self._answers.clear()
        self._locks.clear()
        end_command()
        release_readers()
        run_lock.release()

    def parse_describe_extended(self, relation: BaseRelation, raw_rows: Any) -> list[SparkColumn]:
        """Read the columns from `describe extended`, in the form dbt's catalog wants them.

        Positions count from 1, and a relation without owner has none, where dbt-spark says 'None'. The number of rows
        is left out: Iceberg's counts rows that were deleted since.
        """
        columns = super().parse_describe_extended(relation, raw_rows)
        return [
            replace(
                column,
                column_index=index,
                table_owner=None if column.table_owner == "None" else column.table_owner,
                table_stats={
                    key: value for key, value in (column.table_stats or {}).items() if not key.startswith("stats:rows:")
                },
            )
            for index, column in enumerate(columns, start=1)
        ]

    def drop_schema(self, relation: BaseRelation) -> None:
        """Drop a schema with what is in it; Iceberg ignores `cascade`."""
        for item in self.list_relations_without_caching(relation.without_identifier()):
            self.drop_relation(item)
        super().drop_schema(relation)

    def get_relation(self, database: str, schema: str, identifier: str) -> BaseRelation | None:
        """Return a relation if it exists; dbt's own way compares the name with those of all relations of the schema."""
        if (None, schema) not in self.cache:
            return super().get_relation(database, schema, identifier)
        by_name: dict[Any, Any] = self.cache.relations
        cached = by_name.get((None, schema.lower(), identifier.lower()))
        return cached.inner if cached else None

    def list_schemas(self, database: str) -> list[str]:
        """List schemas; of an Iceberg catalog without a statement."""
        catalog = self._iceberg_catalog()
        if catalog is None:
            return super().list_schemas(database)
        with self.connections.exception_handler("adapter.list_schemas()"):
            return schema_names(self.session, catalog)

    def _iceberg_catalog(self) -> str | None:
        """The name of the session's catalog, if it is one of Iceberg."""
        with self.connections.exception_handler("the name of the current catalog"):
            session = self.session
            catalog: str = session.catalog.currentCatalog()
            return catalog if session.conf.get(f"spark.sql.catalog.{catalog}", "") == ICEBERG_CATALOG else None

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """List tables and views; of an Iceberg catalog without a statement, whatever the number of relations."""
        catalog = self._iceberg_catalog()
        if catalog is None:
            return super().list_relations_without_caching(schema_relation)
        schema = str(schema_relation.schema)
        with self.connections.exception_handler(f"adapter.list_relations('{schema}')"):
            tables, views = relation_names(self.session, catalog, schema)
        # A table can replace a table in place, but not a view: dbt-spark takes the mark for that.
        return [
            self.Relation.create(schema=schema, identifier=name, type=relation_type, is_iceberg=is_table)
            for names, relation_type, is_table in [
                (tables, RelationType.Table, True),
                (views, RelationType.View, False),
            ]
            for name in names
        ]
