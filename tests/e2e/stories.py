"""The files of DMS for one small table t(id, v, w); times are minutes from START."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa

from python_udfs.sample_data.dms_writer import Change, Column, DmsTask, Operation, SourceTable

START = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
ID_V_W = (Column("id", pa.int32()), Column("v", pa.string()), Column("w", pa.string()))


def at(minutes: float) -> datetime:
    """The moment so many minutes after START."""
    return START + timedelta(minutes=minutes)


def change(operation: Operation, minutes: float = 0, **row: Any) -> Change:
    """One statement, committed so many minutes after START."""
    return Change(operation, row, at(minutes))


class Story:
    """Writes the files of one table of source schema `s`; other settings go to DmsTask."""

    def __init__(
        self,
        root: Path,
        name: str,
        columns: tuple[Column, ...] = ID_V_W,
        key: tuple[str, ...] = ("id",),
        **settings: Any,
    ) -> None:
        settings = {"data_format": "parquet", "timestamp_column_name": "ts", **settings}
        self.task = DmsTask(root, **settings)
        self.table = SourceTable("s", name, columns, key)

    def load(self, minutes: float, *rows: dict[str, Any], **options: Any) -> list[Path]:
        """A full load."""
        return self.task.full_load(self.table, rows, at(minutes), **options)

    def changes(self, minutes: float, *changes: Change, **options: Any) -> list[Path]:
        """Change files written so many minutes after START."""
        return self.task.changes(self.table, changes, at(minutes), **options)
