"""MariaDB's binary log as an AWS DMS task writes it: full loads and change files (docs/feeds/dms_format.md)."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import sqlalchemy as sa
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.constants import NONE_SOURCE
from pymysqlreplication.event import QueryEvent
from pymysqlreplication.row_event import DeleteRowsEvent, RowsEvent, UpdateRowsEvent, WriteRowsEvent
from workload import Workload

from python_udfs.sample_data.dms_writer import Change, Column, DmsTask, SourceTable

# One that no other reader of the server has: capture.py counts from 5401.
SERVER_ID = 5300
TRUNCATE = re.compile(r"truncate table (\S+)", re.IGNORECASE)
# Sections 1.5 and 1.6. All else is text: times of a day, enums, sets and JSON too.
TYPES = {
    "BOOL": pa.int8(),
    "TINYINT UNSIGNED": pa.uint8(),
    "SMALLINT": pa.int16(),
    "YEAR": pa.int16(),
    "INTEGER": pa.int32(),
    "INTEGER UNSIGNED": pa.uint32(),
    "BIGINT UNSIGNED": pa.uint64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "DATE": pa.date32(),
    "DATETIME": pa.timestamp("us"),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    "BIT": pa.binary(),
    "BINARY": pa.binary(),
    "VARBINARY": pa.binary(),
    "LONGBLOB": pa.binary(),
}


class BinlogTask:
    """A DMS task that loads tables of a workload and then follows the binary log of their server.

    It writes parquet files with before images of all columns, and a rule renames each schema to `<prefix><schema>`.

    Args:
        workload: on a server with `binlog_row_metadata=FULL`. Nobody changes its tables while this is made.
        tables: what the task selects, `<schema>.<table>`.
        root: the target folder.
        prefix: of the schemas in the target.
    """

    def __init__(self, workload: Workload, tables: Sequence[str], root: Path, prefix: str) -> None:
        self._workload = workload
        self._tables = tables
        self._prefix = prefix
        self._dms = DmsTask(
            root,
            data_format="parquet",
            timestamp_column_name="committed_at",
            before_image_prefix="BI_",
            before_image_filter="all",
        )
        with workload.engine.connect() as connection:
            self._file, self._position = connection.exec_driver_sql("show master status").one()[:2]
        for name in tables:
            rows = [self._row(name, row) for row in workload.rows(name)]
            self._dms.full_load(self._source(name, tuple(workload.tables[name].columns.keys())), rows, _now())

    def write(self) -> Counter[str]:
        """Writes what the binary log got since the last call: a file per table, and one more where its columns change.

        Returns:
            the number of changes by kind: `I`, `U`, `D`, `truncate`, and `key` for the updates of a key.
        """
        done, waiting = Counter[str](), dict[tuple[str, tuple[str, ...]], list[Change]]()
        for name, event in self._events():
            if isinstance(event, RowsEvent):
                columns = tuple(column.name for column in event.columns)
                changes = list(self._changes(name, event))
                waiting.setdefault((name, columns), []).extend(changes)
                done.update(change.operation for change in changes)
                done["key"] += sum(any(c in change.before for c in self._workload.keys[name]) for change in changes)
            else:
                waiting = {of: changes for of, changes in waiting.items() if of[0] != name}
                self._dms.truncate(self._source(name, ()))
                done["truncate"] += 1
        moment = _now()
        for (name, columns), changes in waiting.items():
            # No two files of a table have one name.
            moment += dt.timedelta(milliseconds=1)
            self._dms.changes(self._source(name, columns), changes, moment)
        return done

    def _events(self) -> Iterator[tuple[str, RowsEvent | QueryEvent]]:
        """Tables and what was done to them: rows changed, or a truncate."""
        url = self._workload.engine.url
        stream = BinLogStreamReader(
            {"host": url.host, "port": url.port, "user": url.username, "password": url.password},
            server_id=SERVER_ID,
            log_file=self._file,
            log_pos=self._position,
            resume_stream=True,
            only_schemas=self._workload.schemas,
            only_events=[WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent, QueryEvent],
            enable_logging=False,
        )
        try:
            for event in stream:
                truncate = TRUNCATE.match(event.query) if isinstance(event, QueryEvent) else None
                name = f"{event.schema}.{event.table}" if isinstance(event, RowsEvent) else truncate and truncate[1]
                if name in self._tables:
                    yield name, event
            self._file, self._position = stream.log_file, stream.log_pos
        finally:
            stream.close()

    def _changes(self, name: str, event: RowsEvent) -> Iterator[Change]:
        committed_at = dt.datetime.fromtimestamp(event.timestamp, dt.timezone.utc)
        for event_row in event.rows:
            if isinstance(event, UpdateRowsEvent):
                row = self._row(name, event_row["after_values"], event_row["after_none_sources"])
                before = self._row(name, event_row["before_values"], event_row["before_none_sources"])
                changed = {column: value for column, value in before.items() if value != row[column]}
                yield Change("U", row, committed_at, changed)
            else:
                row = self._row(name, event_row["values"], event_row["none_sources"])
                yield Change("I" if isinstance(event, WriteRowsEvent) else "D", row, committed_at)

    def _source(self, name: str, columns: tuple[str, ...]) -> SourceTable:
        schema, table = name.split(".")
        kinds = self._workload.tables[name].columns
        source_columns = tuple(Column(column, _arrow_type(kinds[column].type)) for column in columns)
        return SourceTable(f"{self._prefix}{schema}", table, source_columns)

    def _row(self, name: str, row: Mapping[str, Any], none_sources: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A row of the driver, or one of the log with the reasons why values are None."""
        kinds = self._workload.tables[name].columns
        empty = {column: "" for column, why in (none_sources or {}).items() if why == NONE_SOURCE.EMPTY_SET}
        return {column: _as_dms(value, kinds[column].type) for column, value in row.items()} | empty


def _arrow_type(kind: sa.types.TypeEngine[Any]) -> pa.DataType:
    if isinstance(kind, sa.Numeric) and not isinstance(kind, sa.Float):
        return pa.decimal128(kind.precision, kind.scale)
    text = kind.compile(sa.dialects.mysql.dialect())
    return TYPES.get(re.sub(r"\(.*\)", "", text), pa.string())


def _as_dms(value: Any, kind: sa.types.TypeEngine[Any]) -> Any:
    """A value as the driver or the log gives it, in the form of its Arrow type."""
    if value is None:
        return None
    if isinstance(kind, sa.dialects.mysql.BIT):
        number = int(value, 2) if isinstance(value, str) else value
        return number.to_bytes((kind.length + 7) // 8, "big")
    if isinstance(kind, sa.BINARY):
        # The log leaves out zeros at the end.
        return (value or b"").ljust(kind.length, b"\0")
    if _arrow_type(kind) == pa.binary():
        # The reader of the log makes an empty text of no bytes.
        return value or b""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, set):
        return ",".join(sorted(value))
    if isinstance(value, dt.timedelta):
        value = (dt.datetime.min + value).time()
    return value.isoformat("microseconds") if isinstance(value, dt.time) else value


def _now() -> dt.datetime:
    return dt.datetime.now(dt.timezone.utc)
