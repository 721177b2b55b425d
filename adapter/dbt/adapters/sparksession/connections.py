"""dbt's connection protocol on top of child Spark sessions."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionWrapper
from dbt.flags import get_flags
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from dbt.adapters.sparksession import parent, run_lock
from dbt.adapters.sparksession.quoting import literal, unmarked
from dbt.adapters.sparksession.session import SessionPool, get_pool
from spark_files.capabilities import commit_sql
from spark_files.errors import (
    full_text,
    is_commit_conflict,
    is_created_meanwhile,
    is_file_fault,
    is_missing_file,
    is_spark_error,
    is_unverified,
    spark_message,
)
from spark_files.internals import MissingInternal

logger = AdapterLogger("Spark")
# One commit each, so that a statement whose commit was refused may simply be run again.
ONE_COMMIT = re.compile(r"(\s|/\*.*?\*/|--[^\n]*\n)*(merge|insert|update|delete)\b", re.DOTALL | re.IGNORECASE)
_PAUSES = (0.5, 2, 5)  # seconds before each further attempt


class CommitConflict(DbtDatabaseError):
    """A commit that was not made, because another one had changed what it was based on."""


class CreatedMeanwhile(DbtDatabaseError):
    """A table that was not created, because it is there."""


class FileFault(DbtDatabaseError):
    """A statement that failed because of a file that it read: damaged, badly named, missing, or to be read in full."""


class SessionHandle(SparkConnectionWrapper):
    """A connection and its cursor in one: dbt runs one statement at a time."""

    def __init__(self, pool: SessionPool, name: str) -> None:
        self.pool = pool
        self.name = name
        self.job_group = f"dbt-{os.urandom(8).hex()}"
        # Tables that this node writes to, with the snapshot that each was at when it began to ask.
        self.starts: dict[str, int] = {}
        self._session = pool.take()
        self._ended = threading.Event()
        self._recorded: Mapping[str, str] = {}
        self._frame: DataFrame | None = None
        self._rows: list[Row] | None = None

    @property
    def session(self) -> SparkSession:
        """The child session, entered by the calling thread.

        When a run is interrupted, dbt's main thread opens the connections that a worker thread uses afterwards.
        """
        self.pool.enter(self._session, self.job_group, self.name)
        return self._session

    def cursor(self) -> SessionHandle:
        return self

    @contextmanager
    def recording(self, properties: Mapping[str, str]) -> Generator[None, None, None]:
        """Have the snapshots of the statement that is run inside record these properties."""
        self._recorded = properties
        try:
            yield
        finally:
            self._recorded = {}

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        """Run one statement; `merge`, `insert`, `update` and `delete` again where another commit came first.

        Args:
            sql: the statement; `%s` stands for a binding.
            bindings: values of the placeholders, written into the statement as SQL literals.
        """
        sql = sql.strip().removesuffix(";")
        if bindings is not None:
            sql = sql % tuple(literal(value) for value in bindings)
        sql = unmarked(sql)
        self._rows = None
        run_lock.show_progress()
        for pause in _PAUSES if ONE_COMMIT.match(sql) else ():
            try:
                self._frame = commit_sql(self.session, sql, self._recorded)
                return
            except Exception as error:
                if not is_commit_conflict(error):
                    raise
                logger.info(f"Another commit came first, trying again in {pause} s: {spark_message(error)}")
                if self._ended.wait(pause):
                    raise
        self._frame = commit_sql(self.session, sql, self._recorded)

    def fetchall(self) -> list[Row]:
        if self._rows is None:
            self._rows = _fetch(self._frame, DataFrame.collect) if self._frame is not None else []
        return self._rows

    def fetchmany(self, size: int) -> list[Row]:
        return _fetch(self._frame, lambda frame: frame.take(size)) if self._frame is not None else []

    def fetchone(self) -> Row | None:
        return next(iter(self.fetchall()), None)

    @property
    def description(self) -> list[tuple[str, Any, None, None, None, None, bool]]:
        if self._frame is None:
            return []
        return [
            (column.name, column.dataType.simpleString(), None, None, None, None, column.nullable)
            for column in self._frame.schema.fields
        ]

    def cancel(self) -> None:
        """Cancel what runs on this connection; called from another thread when the user interrupts dbt."""
        self.pool.cancel(self.job_group, self._ended)

    def rollback(self, *args: Any, **kwargs: Any) -> None:
        """Spark has no transactions to roll back."""

    def close(self) -> None:
        self._ended.set()
        self._frame = self._rows = None
        self.pool.give_back(self._session)


def _fetch(frame: DataFrame, fetch: Callable[[DataFrame], list[Row]]) -> list[Row]:
    """The rows of a frame; its days and times as text if Python has one of them not."""
    try:
        return fetch(frame)
    except (ValueError, OverflowError):
        # By position: a query may give two columns one name.
        types = {str(number): field.dataType for number, field in enumerate(frame.schema)}
        texts = {name: F.col(name).cast("string") for name, data_type in types.items() if _has_times(data_type)}
        return fetch(frame.toDF(*types).withColumns(texts).toDF(*frame.columns))


def _has_times(data_type: DataType) -> bool:
    return any(name in data_type.simpleString() for name in ("date", "timestamp"))


def _kind(error: Exception) -> type[DbtDatabaseError]:
    if is_commit_conflict(error):
        return CommitConflict
    if is_created_meanwhile(error):
        return CreatedMeanwhile
    of_a_file = is_file_fault(error) or is_missing_file(error) or is_unverified(error)
    return FileFault if of_a_file else DbtDatabaseError


class SparksessionConnectionManager(SparkConnectionManager):
    """Opens connections on the Spark session of this process."""

    TYPE = "sparksession"
    project_root = ""
    log_path = ""
    _opening = threading.RLock()

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Give the connection a child session of its own."""
        # When a run is interrupted, dbt's main thread may open a connection at the same time as its own thread: both
        # have to get the same session, or what runs could not be cancelled.
        with cls._opening:
            if connection.state != ConnectionState.OPEN:
                credentials = connection.credentials.resolved(cls.project_root)
                flags = get_flags()
                parent.follow()
                run_lock.acquire(credentials.lock_file_of(getattr(flags, "MACRO", None) or ""), flags.WHICH)
                try:
                    pool = get_pool(credentials, cls.project_root, cls.log_path)
                    connection.handle = SessionHandle(pool, connection.name or "dbt")
                except MissingInternal as missing:
                    raise FailedToConnectError(str(missing)) from None
                connection.state = ConnectionState.OPEN
        return connection

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        """Turn Spark's errors into dbt's, with Spark's message."""
        try:
            yield
        except DbtRuntimeError:
            raise
        except Exception as error:
            if not is_spark_error(error):
                raise
            logger.debug(f"Error while running:\n{sql}\n{full_text(error)}")
            raise _kind(error)(spark_message(error)) from None

    def execute(
        self, sql: str, auto_begin: bool = False, fetch: bool = False, limit: int | None = None
    ) -> tuple[AdapterResponse, Any]:
        # Spark runs a query when its rows are fetched, which dbt does outside of its handler of errors.
        with self.exception_handler(sql):
            return super().execute(sql, auto_begin, fetch, limit)

    @classmethod
    def get_response(cls, cursor: Any) -> AdapterResponse:
        return AdapterResponse(_message="OK")
